// SPDX-License-Identifier: MIT
#include "loops.hpp"

#include <algorithm>

#include "control_flow.hpp"

namespace compiled {

namespace {

void set_order(const kernel_code& kernel, loop_structure& structure) {
  std::vector<bool> seen(kernel.blocks.size());
  std::vector<std::pair<int, std::size_t>> path = {{0, 0}};
  seen[0] = true;
  while (!path.empty()) {
    auto& [block, done] = path.back();
    const auto& next = successors(kernel.blocks[slot(block)]);
    if (done == next.size()) {
      structure.order.push_back(block);
      path.pop_back();
      continue;
    }
    // The last successor first, so that the first one is first in the result.
    const int successor = next[next.size() - ++done];
    if (seen[slot(successor)]) continue;
    seen[slot(successor)] = true;
    path.push_back({successor, 0});
  }
  std::reverse(structure.order.begin(), structure.order.end());
  structure.predecessors.resize(kernel.blocks.size());
  for (const int block : structure.order)
    for (const int successor : successors(kernel.blocks[slot(block)]))
      structure.predecessors[slot(successor)].push_back(block);
}

// The algorithm of Cooper, Harvey and Kennedy.
void set_dominators(loop_structure& structure, std::size_t blocks) {
  std::vector<int> rank(blocks, -1);
  for (std::size_t place = 0; place < structure.order.size(); ++place)
    rank[slot(structure.order[place])] = static_cast<int>(place);
  structure.dominator.assign(blocks, -1);
  const auto met = [&](int node, int other) {
    while (node != other) {
      int& lower = rank[slot(node)] > rank[slot(other)] ? node : other;
      lower = structure.dominator[slot(lower)];
    }
    return node;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const int block : structure.order) {
      if (block == 0) continue;
      int dominator = -1;
      for (const int predecessor : structure.predecessors[slot(block)])
        if (predecessor == 0 || structure.dominator[slot(predecessor)] >= 0)
          dominator = dominator < 0 ? predecessor : met(dominator, predecessor);
      changed = changed || structure.dominator[slot(block)] != dominator;
      structure.dominator[slot(block)] = dominator;
    }
  }
}

void add_blocks(const loop_structure& structure, natural_loop& loop, int latch) {
  std::vector<int> open = {latch};
  while (!open.empty()) {
    const int block = open.back();
    open.pop_back();
    if (loop.has[slot(block)]) continue;
    loop.has[slot(block)] = true;
    open.insert(open.end(), structure.predecessors[slot(block)].begin(),
                structure.predecessors[slot(block)].end());
  }
}

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
        add_blocks(structure, loop, latch);
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
  set_order(kernel, result);
  set_dominators(result, kernel.blocks.size());
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
