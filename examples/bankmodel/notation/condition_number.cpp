// SPDX-License-Identifier: MIT
#include "condition_number.hpp"

#include <utility>

namespace command_line {

namespace {

using bm::operation;

nodes put(const nodes& left, const nodes& right, operation op) {
  nodes result = left;
  result.insert(result.end(), right.begin(), right.end());
  result.push_back({op, 0});
  return result;
}
nodes number_node(long long value) { return {{operation::constant, value}}; }

// 1 for a value below 0, else 0; its absolute value is below 2^62.
nodes is_below_zero(const nodes& of) {
  return put(put(of, number_node(62), operation::shift_right), number_node(1), operation::bit_and);
}

nodes within_limit(nodes of) { return of.size() > most_nodes / 2 ? nodes() : std::move(of); }

}  // namespace

nodes without(const nodes& of) { return put(number_node(1), of, operation::subtract); }

nodes compared(operation op, const program& left, const program& right) {
  constexpr std::size_t longest = 48;  // it is copied several times
  const double most = two_to_62 / 4;
  if (left.nodes.size() + right.nodes.size() > longest) return {};
  if (!left.range.within(-most, most) || !right.range.within(-most, most)) return {};
  const nodes less = is_below_zero(put(left.nodes, right.nodes, operation::subtract));
  if (op == operation::less) return within_limit(less);
  const nodes more = is_below_zero(put(right.nodes, left.nodes, operation::subtract));
  if (op == operation::less_equal) return within_limit(without(more));
  const nodes differ = put(less, more, operation::bit_or);
  return within_limit(op == operation::not_equal ? differ : without(differ));
}

nodes joined_numbers(const nodes& left, const nodes& right, operation op) {
  return left.empty() || right.empty() ? nodes() : within_limit(put(left, right, op));
}

}  // namespace command_line
