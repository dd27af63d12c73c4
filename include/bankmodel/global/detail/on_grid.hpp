// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_DETAIL_ON_GRID_HPP
#define BANKMODEL_GLOBAL_DETAIL_ON_GRID_HPP

#include <bankmodel/count/total.hpp>
#include <bankmodel/global/grid.hpp>
#include <bankmodel/kernel/enlarged_access.hpp>

// The blocks of a grid as loops around an access.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void a_grid_must_find_unused_loop_variables(long long loops) {
  detail::fail(__func__,
               "an access that depends on the block is in % loops with variables of their own, and "
               "each axis of the grid needs one of the six; sum over the blocks one by one",
               loops);
}
}  // namespace rule

namespace detail {

// An access whose block variables are loops, and how often it is made: by blocks in which it is the
// same.
template <int Wrappers, int Nodes>
struct access_on_grid {
  access_expression<Wrappers + 3, Nodes + 9> access;
  std::uint64_t times;
};

BANKMODEL_FN unsigned loop_variables_of(const access_view& access) {
  unsigned used = 0;
  for (int level = 0; level < access.depth; ++level)
    if (access.wrappers[level].kind != wrapper_kind::filter)
      used |= variable_bit(access.wrappers[level].variable);
  return used;
}

// Each axis that the access reads becomes a loop, with a loop variable that it does not use.
template <int Wrappers, int Nodes>
BANKMODEL_FN access_on_grid<Wrappers, Nodes> on_grid(
    const access_expression<Wrappers, Nodes>& access, const grid_dim& grid) {
  const long long extent[] = {grid.x, grid.y, grid.z};
  access_on_grid<Wrappers, Nodes> result{enlarged<3, 9>(access), grid.blocks()};
  access_expression<Wrappers + 3, Nodes + 9>& expression = result.access;
  expression.depth = 0;  // the loops over the blocks come first
  unsigned used = loop_variables_of(view_of(access));
  int size = Nodes;
  for (int a = 0; a < 3; ++a) {
    const auto block_variable = static_cast<long long>(variable::bx) + a;
    long long own = static_cast<long long>(variable::loop_0);
    while ((used >> own & 1) != 0) ++own;
    bool is_read = false;
    for (int node = 0; node < Nodes; ++node)
      if (expression.nodes[node].op == operation::variable &&
          expression.nodes[node].value == block_variable) {
        expression.nodes[node].value = own;
        is_read = true;
      }
    if (!is_read) continue;
    if (own == variables) rule::a_grid_must_find_unused_loop_variables(access.depth);
    const auto number = [&](long long value) {
      expression.nodes[size] = {operation::constant, value};
      return slice{size++, 1};
    };
    expression.wrappers[expression.depth++] = {wrapper_kind::range, static_cast<variable>(own),
                                               number(0), number(extent[a]), number(1)};
    used |= 1u << own;
    result.times /= static_cast<std::uint64_t>(extent[a]);
  }
  for (int level = 0; level < access.depth; ++level)
    expression.wrappers[expression.depth++] = access.wrappers[level];
  return result;
}

}  // namespace detail
}  // namespace bankmodel

#endif
