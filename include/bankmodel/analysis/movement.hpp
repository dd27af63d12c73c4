// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_ANALYSIS_MOVEMENT_HPP
#define BANKMODEL_ANALYSIS_MOVEMENT_HPP

#include <bankmodel/analysis/value_range.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The period after which the value of a program has moved evenly, if variables move in equal steps
// as in a loop.
namespace bankmodel::detail {

// After `period` steps the value has moved by `distance`, whatever the first position and the other
// variables are; if `scaled`, by an amount that depends on the other variables. Period 0: not
// known.
// Example: if i moves by 1, i / 4 has moved by 1 after 4 steps, and i ^ tx, with tx below 32, by 32
// after 32 steps:
//
//   constexpr auto quotient = i / 4;
//   constexpr auto exchanged = i ^ tx;
//   long long moves[variables] = {};
//   detail::value_range ranges[variables] = {};
//   moves[static_cast<int>(variable::loop_0)] = 1;
//   ranges[static_cast<int>(variable::loop_0)] = {0, 1000};
//   ranges[static_cast<int>(variable::tx)] = {0, 31};
//   assert(detail::movement_of(quotient.nodes, 3, moves, ranges).period == 4);
//   assert(detail::movement_of(quotient.nodes, 3, moves, ranges).distance == 1);
//   assert(detail::movement_of(exchanged.nodes, 3, moves, ranges).period == 32);
//   assert(detail::movement_of(exchanged.nodes, 3, moves, ranges).distance == 32);
struct movement {
  long long period, distance;
  bool scaled;
  bool polynomial;  // true: a polynomial in the moving variables, so its period modulo c is c
  BANKMODEL_FN bool known() const { return period != 0; }
  BANKMODEL_FN bool stays() const { return known() && distance == 0 && !scaled; }
};

constexpr long long longest_period = 1 << 20;

// The least common multiple; 0 if it is more than longest_period.
BANKMODEL_FN long long least_common_period(long long a, long long b) {
  const long long result = a / greatest_common_divisor(a, b) * b;
  return result > longest_period ? 0 : result;
}

constexpr movement no_movement_known{0, 0, false, false};

// The same over more steps, after which the value has moved by a multiple of `divisor`.
BANKMODEL_FN movement until_divisible(const movement& a, long long divisor) {
  const long long times =
      a.scaled ? divisor : divisor / greatest_common_divisor(divisor, a.distance);
  if (times > longest_period / a.period || a.distance > narrow_limit / times ||
      a.distance < -narrow_limit / times)
    return no_movement_known;
  return {a.period * times, a.distance * times, a.scaled, false};
}

// The movement of the value modulo `divisor`.
BANKMODEL_FN movement movement_modulo(const movement& a, long long divisor) {
  if (a.known()) return {until_divisible(a, divisor).period, 0, false, false};
  return a.polynomial && divisor <= longest_period ? movement{divisor, 0, false, false}
                                                   : no_movement_known;
}
// True if the value is the same after each step.
BANKMODEL_FN bool rests(const movement& a) { return a.stays() && a.period == 1; }

// The movement of any operation: if both operands return to their values, so does the result.
BANKMODEL_FN movement movement_of_both(const movement& a, const movement& b) {
  if (!a.stays() || !b.stays()) return no_movement_known;
  return {least_common_period(a.period, b.period), 0, false, false};
}

// The distance after a multiple of the period; unknown if it is not narrow.
BANKMODEL_FN value_range distance_over(const movement& a, long long period) {
  const long long times = period / a.period;
  return range_of_product({a.distance, a.distance}, {times, times});
}

BANKMODEL_FN movement movement_of_sum(operation op, const movement& a, const movement& b) {
  const bool polynomial = a.polynomial && b.polynomial;
  const long long period = a.known() && b.known() ? least_common_period(a.period, b.period) : 0;
  if (period == 0) return {0, 0, false, polynomial};
  const value_range sum = range_of(op, distance_over(a, period), distance_over(b, period));
  if (!sum.is_narrow()) return {0, 0, false, polynomial};
  return {period, sum.lowest, a.scaled || b.scaled, polynomial};
}

// The movement of a product or a left shift.
BANKMODEL_FN movement movement_of_product(operation op, const movement& a, const movement& b,
                                          const value_range& range_a, const value_range& range_b) {
  const bool power = op == operation::shift_left;
  if (power && !rests(b)) return movement_of_both(a, b);
  if (!rests(a) && !rests(b)) {
    if (a.stays() && b.stays()) return movement_of_both(a, b);
    return {0, 0, false, a.polynomial && b.polynomial};
  }
  const movement& moving = rests(a) ? b : a;
  const value_range& factor = rests(a) ? range_a : range_b;
  const bool polynomial = power ? a.polynomial && factor.is_one() : a.polynomial && b.polynomial;
  if (!moving.known()) return {0, 0, false, polynomial};
  if (moving.stays()) return {moving.period, 0, false, polynomial};
  if (!factor.known() || !factor.is_one() || moving.scaled)
    return {moving.period, 0, true, polynomial};
  const value_range amount = range_of(op, {moving.distance, moving.distance}, factor);
  return amount.known() ? movement{moving.period, amount.lowest, false, polynomial}
                        : movement{0, 0, false, polynomial};
}

// The movement of a /, % or >> by a constant.
BANKMODEL_FN movement movement_of_quotient(operation op, const movement& a, const movement& b,
                                           const value_range& range_a, const value_range& range_b) {
  if (!range_b.known() || !range_b.is_one()) return movement_of_both(a, b);
  // / and % of negative values are errors, which may not be skipped.
  const bool shift = op == operation::shift_right;
  if (!range_a.known() || range_b.lowest < 1 || (shift ? range_b.lowest > 20 : range_a.lowest < 0))
    return movement_of_both(a, b);
  const long long divisor = shift ? 1ll << range_b.lowest : range_b.lowest;
  if (op == operation::remainder) return movement_modulo(a, divisor);
  if (!a.known()) return no_movement_known;
  const movement multiple = until_divisible(a, divisor);
  return {multiple.period, multiple.known() ? multiple.distance / divisor : 0, multiple.scaled,
          false};
}

// The movement of &, | or ^. If one side is below 2^b and returns to its values, the low b bits of
// the other side have a period, and its high bits are kept or, by &, cleared.
BANKMODEL_FN movement movement_of_bits(operation op, const movement& a, const movement& b,
                                       const value_range& range_a, const value_range& range_b) {
  const bool left_moves = b.stays();
  if (left_moves == a.stays()) return movement_of_both(a, b);
  const value_range& low = left_moves ? range_b : range_a;
  if (!low.known() || low.lowest < 0 || low.highest > longest_period) return movement_of_both(a, b);
  const long long size = all_bits_of(low.highest) + 1;
  const movement& moving = left_moves ? a : b;
  const movement& other = left_moves ? b : a;
  if (op == operation::bit_and && !moving.known() && moving.polynomial)
    return {least_common_period(size, other.period), 0, false, false};
  if (!moving.known()) return movement_of_both(a, b);
  const movement multiple = until_divisible(moving, size);
  if (!multiple.known()) return multiple;
  const long long period = least_common_period(multiple.period, other.period);
  if (period == 0) return no_movement_known;
  if (op == operation::bit_and) return {period, 0, false, false};
  const value_range distance = distance_over(multiple, period);
  if (!distance.known()) return no_movement_known;
  return {period, distance.lowest, multiple.scaled, false};
}

// The movement of `a op b` with operands in these ranges. Requires: at least one of them moves.
BANKMODEL_FN movement movement_of(operation op, const movement& a, const movement& b,
                                  const value_range& range_a, const value_range& range_b) {
  switch (op) {
    case operation::add:
    case operation::subtract: return movement_of_sum(op, a, b);
    case operation::negate: return {a.period, -a.distance, a.scaled, a.polynomial};
    case operation::multiply:
    case operation::shift_left: return movement_of_product(op, a, b, range_a, range_b);
    case operation::divide:
    case operation::remainder:
    case operation::shift_right: return movement_of_quotient(op, a, b, range_a, range_b);
    case operation::bit_and:
    case operation::bit_or:
    case operation::bit_xor: return movement_of_bits(op, a, b, range_a, range_b);
    case operation::triangular_root:  // of the value modulo a constant
      return range_b.is_one() ? movement_modulo(a, range_b.lowest) : movement_of_both(a, b);
    default: return movement_of_both(a, b);
  }
}

// The movement of a program without && and ||, whose variables move by `moves` within `ranges`.
BANKMODEL_FN movement movement_of(const node* program, int size, const long long* moves,
                                  const value_range* ranges) {
  movement stack[max_index_depth];
  value_range range[max_index_depth];
  stack[0] = {1, 0, false, true};
  int top = -1;
  for (int index = 0; index < size; ++index) {
    const operation op = program[index].op;
    if (is_in(leaf_operations, op)) {
      top = pushed(top);
      const bool variable = op == operation::variable;
      stack[top] = {1, variable ? moves[program[index].value] : 0, false, true};
      range[top] = range_of(program[index], ranges);
      continue;
    }
    const bool unary = is_in(unary_operations, op);
    if (!unary) --top;
    const movement right = unary ? movement{1, 0, false, true} : stack[top + 1];
    const value_range right_range = unary ? value_range{0, 0} : range[top + 1];
    const bool rests =
        stack[top].stays() && stack[top].period == 1 && right.stays() && right.period == 1;
    if (!rests) stack[top] = movement_of(op, stack[top], right, range[top], right_range);
    range[top] = range_of(op, range[top], right_range);
  }
  return stack[0];
}

BANKMODEL_FN long long with_period_of(long long period, const node* program, int size,
                                      const long long* moves, const value_range* ranges) {
  const movement motion = movement_of(program, size, moves, ranges);
  return motion.known() && period != 0 ? least_common_period(period, motion.period) : 0;
}
// The period of a program, or of all sides of a condition's comparisons; 0 if one is not known.
BANKMODEL_FN long long period_of_parts(const node* program, int size, const long long* moves,
                                       const value_range* ranges) {
  int start[max_index_depth];
  int top = -1;
  long long period = 1;
  bool compares = false;
  for (int index = 0; index < size && period != 0; ++index) {
    const operation op = program[index].op;
    top += growth_of(op);
    if (is_in(leaf_operations, op)) start[top] = index;
    if (!is_in(comparison_operations, op)) continue;
    compares = true;
    const int right = start[top + 1];
    period = with_period_of(period, program + start[top], right - start[top], moves, ranges);
    period = with_period_of(period, program + right, index - right, moves, ranges);
  }
  return compares ? period : with_period_of(1, program, size, moves, ranges);
}

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
