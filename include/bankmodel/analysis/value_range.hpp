// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_ANALYSIS_VALUE_RANGE_HPP
#define BANKMODEL_ANALYSIS_VALUE_RANGE_HPP

#include <bankmodel/analysis/program.hpp>

#include <bankmodel/core/hide_macros.hpp>

// What is known of a program's values in all threads and iterations: their range, and their low
// bits.
namespace bankmodel::detail {

// Known ranges end at least this far inside 64 bits, so that a position next to them can be
// computed; narrow ones so far that the sum of two cannot overflow. Only sums and differences may
// be beyond the narrow limit.
constexpr long long widest_limit = int64_max - 1, narrow_limit = 1ll << 61;

// lowest to highest, both included; unknown if lowest > highest. If it is known, all values of the
// program are in it, and evaluating the program is not an error in any thread or iteration.
// Example: tx % 8 in a block of 32 threads:
//
//   constexpr auto subscript = tx % 8;
//   detail::value_range ranges[variables] = {};
//   ranges[static_cast<int>(variable::tx)] = {0, 31};
//   assert(detail::range_of(subscript.nodes, 3, ranges).lowest == 0);
//   assert(detail::range_of(subscript.nodes, 3, ranges).highest == 7);
struct value_range {
  long long lowest, highest;
  BANKMODEL_FN bool known() const { return lowest <= highest; }
  BANKMODEL_FN bool is_one() const { return lowest == highest; }
  BANKMODEL_FN bool is_narrow() const {
    return known() && lowest >= -narrow_limit && highest <= narrow_limit;
  }
};

constexpr value_range unknown_range{1, 0};

// Unknown if an end is beyond widest_limit.
BANKMODEL_FN value_range known_range(long long lowest, long long highest) {
  return lowest < -widest_limit || highest > widest_limit ? unknown_range
                                                          : value_range{lowest, highest};
}

// The range of a - b; unknown if a difference may be beyond widest_limit.
BANKMODEL_FN value_range range_of_difference(const value_range& a, const value_range& b) {
  if (!a.known() || !b.known()) return unknown_range;
  const bool fits = a.lowest >= (b.highest > 0 ? b.highest - widest_limit : -widest_limit) &&
                    a.highest <= (b.lowest < 0 ? b.lowest + widest_limit : widest_limit);
  return fits ? value_range{a.lowest - b.highest, a.highest - b.lowest} : unknown_range;
}

BANKMODEL_FN long long magnitude(const value_range& a) {
  return -a.lowest > a.highest ? -a.lowest : a.highest;
}

// The least 2^b - 1 that is not below `value`. Requires: `value` is not negative.
BANKMODEL_FN long long all_bits_of(long long value) {
  long long bits = value;
  for (int shift = 1; shift < 64; shift *= 2) bits |= bits >> shift;
  return bits;
}

BANKMODEL_FN value_range range_of_product(const value_range& a, const value_range& b) {
  const long long largest = magnitude(b);
  if (largest != 0 && magnitude(a) > narrow_limit / largest) return unknown_range;
  const long long corner[4] = {a.lowest * b.lowest, a.lowest * b.highest, a.highest * b.lowest,
                               a.highest * b.highest};
  value_range result{corner[0], corner[0]};
  for (int index = 1; index < 4; ++index) {
    if (corner[index] < result.lowest) result.lowest = corner[index];
    if (corner[index] > result.highest) result.highest = corner[index];
  }
  return result;
}

// The range of an operation on operands in `a` and `b`.
BANKMODEL_FN value_range range_of(operation op, const value_range& a, const value_range& b) {
  if (!a.known() || !b.known()) return unknown_range;
  switch (op) {
    case operation::add: return range_of_difference(a, {-b.highest, -b.lowest});
    case operation::subtract: return range_of_difference(a, b);
    case operation::multiply: return range_of_product(a, b);
    case operation::negate: return {-a.highest, -a.lowest};
    case operation::divide:
      if (a.lowest < 0 || b.lowest < 1) return unknown_range;
      return {a.lowest / b.highest, a.highest / b.lowest};
    case operation::remainder:
      if (a.lowest < 0 || b.lowest < 1) return unknown_range;
      if (a.highest < b.lowest) return a;
      return {0, a.highest < b.highest ? a.highest : b.highest - 1};
    case operation::shift_left:
      if (b.lowest < 0 || b.highest > 60) return unknown_range;
      return range_of_product(a, {1ll << b.lowest, 1ll << b.highest});
    case operation::shift_right:
      if (b.lowest < 0 || b.highest > 62) return unknown_range;
      return {a.lowest >> (a.lowest < 0 ? b.lowest : b.highest),
              a.highest >> (a.highest < 0 ? b.highest : b.lowest)};
    case operation::bit_and:
      if (a.lowest < 0 && b.lowest < 0) return unknown_range;
      return {0, b.lowest < 0 || (a.lowest >= 0 && a.highest < b.highest) ? a.highest : b.highest};
    case operation::bit_or:
    case operation::bit_xor:
      if (a.lowest < 0 || b.lowest < 0) return unknown_range;
      return known_range(0, all_bits_of(a.highest > b.highest ? a.highest : b.highest));
    case operation::minimum:
      return {a.lowest < b.lowest ? a.lowest : b.lowest,
              a.highest < b.highest ? a.highest : b.highest};
    case operation::maximum:
      return {a.lowest > b.lowest ? a.lowest : b.lowest,
              a.highest > b.highest ? a.highest : b.highest};
    case operation::triangular_root: return {0, b.highest - 1};
    default: return {0, 1};  // comparisons and their combinations
  }
}

// The range of a variable or a constant, which may be the largest number.
BANKMODEL_FN value_range range_of(const node& leaf, const value_range* variables) {
  if (leaf.op == operation::variable) return variables[leaf.value];
  return leaf.value < -widest_limit ? unknown_range : value_range{leaf.value, leaf.value};
}
// The range of a program, with one range for each variable. Both sides of && and || must be known.
BANKMODEL_FN value_range range_of(const node* program, int size, const value_range* variables) {
  if (size == 1) return range_of(*program, variables);
  value_range stack[max_index_depth];
  stack[0] = {0, 0};
  int top = -1;
  for (int index = 0; index < size; ++index) {
    const operation op = program[index].op;
    if (is_in(skip_operations, op)) {
      --top;
      continue;
    }
    if (is_in(leaf_operations, op)) {
      top = pushed(top);
      stack[top] = range_of(program[index], variables);
    } else {
      const bool unary = is_in(unary_operations, op);
      if (!unary) --top;
      if (top < 0) return unknown_range;  // impossible; a compiler that unrolls the loop would warn
      stack[top] = range_of(op, stack[top], unary ? value_range{0, 0} : stack[top + 1]);
    }
    if (!stack[top].known()) return unknown_range;
  }
  return stack[0];
}

// ---- low bits ----

// The number of low bits that are 0, 63 for 0 itself.
BANKMODEL_FN int low_zeros(long long value) {
  return value == 0 ? 63 : trailing_zeros(static_cast<std::uint64_t>(value));
}

// At least this number of low bits is 0 in every value of the program.
BANKMODEL_FN int low_zeros(const node* program, int size) {
  constexpr unsigned keeping = additive_operations | set_of(operation::bit_or) |
                               set_of(operation::bit_xor) | set_of(operation::minimum) |
                               set_of(operation::maximum);
  int stack[max_index_depth];
  int top = -1;
  for (int index = 0; index < size; ++index) {
    const operation op = program[index].op;
    if (is_in(leaf_operations, op)) {
      stack[++top] = op == operation::constant ? low_zeros(program[index].value) : 0;
      continue;
    }
    if (op == operation::negate) continue;
    const int right = stack[top--], left = stack[top], minimum = left < right ? left : right;
    const bool by_a_constant = program[index - 1].op == operation::constant;
    stack[top] = is_in(keeping, op)          ? minimum
                 : op == operation::multiply ? left + right
                 : op == operation::bit_and  ? left + right - minimum
                 : op == operation::shift_left && by_a_constant
                     ? left + static_cast<int>(program[index - 1].value & 63)
                     : 0;
    if (stack[top] > 63) stack[top] = 63;
  }
  return stack[0];
}

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
