// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_VALUE_RANGE_HPP
#define BANKMODEL_COUNT_DETAIL_VALUE_RANGE_HPP

#include <bankmodel/count/detail/program.hpp>

// Interval arithmetic: the range of a program's values in all threads and iterations.
namespace bankmodel::detail {

// lowest to highest, both included; unknown if lowest > highest. If it is known, all values of the
// program are in it, and evaluating the program is not an error in any thread or iteration.
struct value_range {
  long long lowest, highest;
  BANKMODEL_FN bool known() const { return lowest <= highest; }
  BANKMODEL_FN bool is_one() const { return lowest == highest; }
};

constexpr value_range unknown_range{1, 0};

// Known ranges are from -range_limit to range_limit, so that the sum of two cannot overflow.
constexpr long long range_limit = 1ll << 61;

BANKMODEL_FN value_range known_range(long long lowest, long long highest) {
  return lowest < -range_limit || highest > range_limit ? unknown_range
                                                        : value_range{lowest, highest};
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
  const long long most = magnitude(b);
  if (most != 0 && magnitude(a) > range_limit / most) return unknown_range;
  const long long corner[4] = {a.lowest * b.lowest, a.lowest * b.highest, a.highest * b.lowest,
                               a.highest * b.highest};
  value_range result{corner[0], corner[0]};
  for (int at = 1; at < 4; ++at) {
    if (corner[at] < result.lowest) result.lowest = corner[at];
    if (corner[at] > result.highest) result.highest = corner[at];
  }
  return result;
}

// The range of an operation on operands in `a` and `b`.
BANKMODEL_FN value_range range_of(operation op, const value_range& a, const value_range& b) {
  if (!a.known() || !b.known()) return unknown_range;
  switch (op) {
    case operation::add: return known_range(a.lowest + b.lowest, a.highest + b.highest);
    case operation::subtract: return known_range(a.lowest - b.highest, a.highest - b.lowest);
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
      return {0, all_bits_of(a.highest > b.highest ? a.highest : b.highest)};
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

// The range of a variable or a constant.
BANKMODEL_FN value_range range_of(const node& leaf, const value_range* variables) {
  return leaf.op == operation::variable ? variables[leaf.value]
                                        : known_range(leaf.value, leaf.value);
}
// The range of a program, with one range for each variable. Both sides of && and || must be known.
BANKMODEL_FN value_range range_of(const node* program, int size, const value_range* variables) {
  if (size == 1) return range_of(*program, variables);
  value_range stack[max_index_depth];
  stack[0] = {0, 0};
  int top = -1;
  for (int at = 0; at < size; ++at) {
    const operation op = program[at].op;
    if (is_in(skip_operations, op)) {
      --top;
      continue;
    }
    if (is_in(leaf_operations, op)) {
      top = pushed(top);
      stack[top] = range_of(program[at], variables);
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

}  // namespace bankmodel::detail

#endif
