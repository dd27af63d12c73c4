// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_WIDE_RANGE_HPP
#define BANKMODEL_COUNT_DETAIL_WIDE_RANGE_HPP

#include <bankmodel/count/detail/comparisons.hpp>
#include <bankmodel/count/detail/value_range.hpp>

// Ranges up to the ends of 64 bits, for conditions on loops that value_range.hpp's limit excludes.
namespace bankmodel::detail {

// Differences are at least this far inside 64 bits, so that a position next to them can be
// computed.
constexpr long long wide_limit = int64_max - 1;

// The range of a - b; unknown if a difference may be outside of wide_limit.
BANKMODEL_FN value_range range_of_difference(const value_range& a, const value_range& b) {
  if (!a.known() || !b.known()) return unknown_range;
  const bool fits = a.lowest >= (b.highest > 0 ? b.highest - wide_limit : -wide_limit) &&
                    a.highest <= (b.lowest < 0 ? b.lowest + wide_limit : wide_limit);
  if (!fits) return unknown_range;
  return {a.lowest - b.highest, a.highest - b.lowest};
}

BANKMODEL_FN value_range wide_range_of(operation op, const value_range& a, const value_range& b) {
  const auto is_narrow = [](const value_range& one) {
    return one.known() && one.lowest >= -range_limit && one.highest <= range_limit;
  };
  if (is_narrow(a) && is_narrow(b)) {
    const value_range narrow = range_of(op, a, b);
    if (narrow.known()) return narrow;
  }
  if (op == operation::subtract) return range_of_difference(a, b);
  if (op != operation::add || !b.known() || b.lowest < -wide_limit) return unknown_range;
  return range_of_difference(a, {-b.highest, -b.lowest});
}

// The range of a program, with one range for each variable: `wide` if the one in `narrow` is not
// known. Of sums and differences it may be a wide one.
BANKMODEL_FN value_range wide_range_of(const node* program, int size, const value_range* narrow,
                                       const value_range* wide) {
  value_range stack[max_index_depth];
  stack[0] = unknown_range;
  int top = -1;
  for (int at = 0; at < size; ++at) {
    const operation op = program[at].op;
    if (is_in(skip_operations, op)) return unknown_range;
    if (op == operation::constant || op == operation::variable) {
      const long long value = program[at].value;
      top = pushed(top);
      stack[top] = op == operation::constant ? value_range{value, value}
                   : narrow[value].known()   ? narrow[value]
                                             : wide[value];
    } else {
      const bool unary = is_in(unary_operations, op);
      if (!unary) --top;
      if (top < 0) return unknown_range;  // impossible; see range_of()
      stack[top] = wide_range_of(op, stack[top], unary ? value_range{0, 0} : stack[top + 1]);
    }
    if (!stack[top].known()) return unknown_range;
  }
  return stack[0];
}

// True for one comparison of two sides with wide ranges whose difference fits as well.
// Example: j == tx in a loop of j from 0 to 2^63 - 1.
BANKMODEL_FN bool conditions_fit(const node* nodes, int size, const value_range* narrow,
                                 const value_range* wide) {
  comparisons sides;
  if (!is_in(comparison_operations, nodes[size - 1].op) || !sides.read(nodes, size, 0, 0))
    return false;
  if (sides.count() != 1) return false;
  const program left = sides[0].left, right = sides[0].right;
  return range_of_difference(wide_range_of(left.nodes, left.size, narrow, wide),
                             wide_range_of(right.nodes, right.size, narrow, wide))
      .known();
}

}  // namespace bankmodel::detail

#endif
