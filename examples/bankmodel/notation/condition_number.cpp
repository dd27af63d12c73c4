// SPDX-License-Identifier: MIT
#include "condition_number.hpp"

#include <utility>

#include "../sequences.hpp"

namespace command_line {

namespace {

using bm::operation;

nodes put(const nodes& left, const nodes& right, operation op) {
  nodes result = left;
  append(result, right);
  result.push_back({op, 0});
  return result;
}
nodes number_node(long long value) { return {{operation::constant, value}}; }

// 1 for a value below 0, else 0; its absolute value is below 2^62.
nodes is_below_zero(const nodes& value) {
  return put(put(value, number_node(62), operation::shift_right), number_node(1),
             operation::bit_and);
}

nodes within_limit(nodes condition) {
  return condition.size() > most_nodes / 2 ? nodes() : std::move(condition);
}

}  // namespace

nodes negation(const nodes& condition) {
  return put(number_node(1), condition, operation::subtract);
}

nodes compared(operation op, const program& left, const program& right) {
  constexpr std::size_t longest = 48;  // it is copied several times
  const double limit = two_to_62 / 4;
  if (left.nodes.size() + right.nodes.size() > longest) return {};
  if (!left.range.fits(-limit, limit) || !right.range.fits(-limit, limit)) return {};
  const nodes is_less = is_below_zero(put(left.nodes, right.nodes, operation::subtract));
  if (op == operation::less) return within_limit(is_less);
  const nodes is_greater = is_below_zero(put(right.nodes, left.nodes, operation::subtract));
  if (op == operation::less_equal) return within_limit(negation(is_greater));
  const nodes differ = put(is_less, is_greater, operation::bit_or);
  return within_limit(op == operation::not_equal ? differ : negation(differ));
}

nodes joined_numbers(const nodes& left, const nodes& right, operation op) {
  return left.empty() || right.empty() ? nodes() : within_limit(put(left, right, op));
}

}  // namespace command_line
