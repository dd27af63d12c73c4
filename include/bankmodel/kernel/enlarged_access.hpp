// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_KERNEL_ENLARGED_ACCESS_HPP
#define BANKMODEL_KERNEL_ENLARGED_ACCESS_HPP

#include <bankmodel/kernel/access.hpp>

namespace bankmodel::detail {

// Returns the same access with room for more wrappers and nodes, to rewrite it: its programs are at
// their places, and the new nodes follow them.
template <int MoreWrappers, int MoreNodes, int Wrappers, int Nodes>
BANKMODEL_FN access_expression<Wrappers + MoreWrappers, Nodes + MoreNodes> enlarged(
    const access_expression<Wrappers, Nodes>& access) {
  access_expression<Wrappers + MoreWrappers, Nodes + MoreNodes> result{};
  result.array = access.array;
  result.subscripts = access.subscripts;
  for (int d = 0; d < access.subscripts; ++d) result.subscript[d] = access.subscript[d];
  result.vector = access.vector;
  result.stated = access.stated;
  result.kind = access.kind;
  result.depth = access.depth;
  for (int level = 0; level < access.depth; ++level)
    result.wrappers[level] = access.wrappers[level];
  copy_nodes(result.nodes, access.nodes, Nodes);
  return result;
}

}  // namespace bankmodel::detail

#endif
