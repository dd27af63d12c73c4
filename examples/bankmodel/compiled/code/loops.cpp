// SPDX-License-Identifier: MIT
#include "loops.hpp"

#include "control_flow.hpp"

namespace compiled {

namespace {

void set_loops(const kernel_code& kernel, loop_structure& structure) {
  std::vector<bool> is_done(kernel.blocks.size());
  const std::vector<bool> fails = only_fails(kernel);
  for (const int header : structure.order) {
    is_done[slot(header)] = true;
    natural_loop loop;
    loop.header = header;
    loop.has.resize(kernel.blocks.size());
    loop.has[slot(header)] = true;
    for (const int latch : structure.predecessors[slot(header)]) {
      if (structure.dominates(header, latch)) {
        loop.latches.push_back(latch);
        mark_reached(
            {latch}, loop.has,
            [&](int block) -> const auto& { return structure.predecessors[slot(block)]; },
            [](int) { return true; });
      } else if (!is_done[slot(latch)]) {
        structure.is_reducible = false;
      }
    }
    if (loop.latches.empty()) continue;
    for (const int block : structure.order)
      if (loop.has[slot(block)])
        for (const int successor : successors(kernel.blocks[slot(block)]))
          if (!loop.has[slot(successor)] && !fails[slot(successor)])
            loop.exits.emplace_back(block, successor);
    structure.loops.push_back(std::move(loop));
  }
}

}  // namespace

bool loop_structure::dominates(int ancestor, int block) const {
  while (block >= 0 && block != ancestor) block = dominator[slot(block)];
  return block == ancestor;
}

loop_structure loops_of(const kernel_code& kernel) {
  loop_structure result;
  const graph next = successors(kernel);
  result.order = nodes_in_order(next, 0);
  result.predecessors.resize(next.size());
  for (const int block : result.order)
    for (const int successor : next[slot(block)])
      result.predecessors[slot(successor)].push_back(block);
  result.dominator = dominators(result.order, result.predecessors);
  set_loops(kernel, result);
  // Headers of outer loops are first in the order.
  result.innermost.assign(kernel.blocks.size(), -1);
  for (std::size_t loop = 0; loop < result.loops.size(); ++loop) {
    natural_loop& current = result.loops[loop];
    current.parent = result.innermost[slot(current.header)];
    for (std::size_t block = 0; block < current.has.size(); ++block)
      if (current.has[block]) result.innermost[block] = static_cast<int>(loop);
  }
  return result;
}

}  // namespace compiled
