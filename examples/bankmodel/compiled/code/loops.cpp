// SPDX-License-Identifier: MIT
#include "loops.hpp"

#include <algorithm>

#include "control_flow.hpp"

namespace compiled {

namespace {

void set_order(const kernel_code& kernel, loop_structure& to) {
  std::vector<bool> seen(kernel.blocks.size());
  std::vector<std::pair<int, std::size_t>> path = {{0, 0}};
  seen[0] = true;
  while (!path.empty()) {
    auto& [block, done] = path.back();
    const auto& next = successors(kernel.blocks[at(block)]);
    if (done == next.size()) {
      to.order.push_back(block);
      path.pop_back();
      continue;
    }
    // The last successor first, so that the first one is first in the result.
    const int after = next[next.size() - ++done];
    if (seen[at(after)]) continue;
    seen[at(after)] = true;
    path.push_back({after, 0});
  }
  std::reverse(to.order.begin(), to.order.end());
  to.before.resize(kernel.blocks.size());
  for (const int block : to.order)
    for (const int after : successors(kernel.blocks[at(block)]))
      to.before[at(after)].push_back(block);
}

// The algorithm of Cooper, Harvey and Kennedy.
void set_dominators(loop_structure& to, std::size_t blocks) {
  std::vector<int> rank(blocks, -1);
  for (std::size_t place = 0; place < to.order.size(); ++place)
    rank[at(to.order[place])] = static_cast<int>(place);
  to.dominator.assign(blocks, -1);
  const auto met = [&](int one, int other) {
    while (one != other) {
      int& lower = rank[at(one)] > rank[at(other)] ? one : other;
      lower = to.dominator[at(lower)];
    }
    return one;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const int block : to.order) {
      if (block == 0) continue;
      int found = -1;
      for (const int one : to.before[at(block)])
        if (one == 0 || to.dominator[at(one)] >= 0) found = found < 0 ? one : met(found, one);
      changed = changed || to.dominator[at(block)] != found;
      to.dominator[at(block)] = found;
    }
  }
}

void add_blocks(const loop_structure& of, natural_loop& to, int latch) {
  std::vector<int> open = {latch};
  while (!open.empty()) {
    const int block = open.back();
    open.pop_back();
    if (to.has[at(block)]) continue;
    to.has[at(block)] = true;
    open.insert(open.end(), of.before[at(block)].begin(), of.before[at(block)].end());
  }
}

void set_loops(const kernel_code& kernel, loop_structure& to) {
  std::vector<bool> is_done(kernel.blocks.size());
  const std::vector<bool> fails = only_fails(kernel);
  for (const int header : to.order) {
    is_done[at(header)] = true;
    natural_loop found;
    found.header = header;
    found.has.resize(kernel.blocks.size());
    found.has[at(header)] = true;
    for (const int latch : to.before[at(header)]) {
      if (to.dominates(header, latch)) {
        found.latches.push_back(latch);
        add_blocks(to, found, latch);
      } else if (!is_done[at(latch)]) {
        to.is_reducible = false;
      }
    }
    if (found.latches.empty()) continue;
    for (const int block : to.order)
      if (found.has[at(block)])
        for (const int after : successors(kernel.blocks[at(block)]))
          if (!found.has[at(after)] && !fails[at(after)]) found.exits.emplace_back(block, after);
    to.loops.push_back(std::move(found));
  }
}

}  // namespace

bool loop_structure::dominates(int above, int block) const {
  while (block >= 0 && block != above) block = dominator[at(block)];
  return block == above;
}

loop_structure loops_of(const kernel_code& kernel) {
  loop_structure result;
  set_order(kernel, result);
  set_dominators(result, kernel.blocks.size());
  set_loops(kernel, result);
  // Headers of outer loops are first in the order.
  result.innermost.assign(kernel.blocks.size(), -1);
  for (std::size_t loop = 0; loop < result.loops.size(); ++loop) {
    natural_loop& one = result.loops[loop];
    one.parent = result.innermost[at(one.header)];
    for (std::size_t block = 0; block < one.has.size(); ++block)
      if (one.has[block]) result.innermost[block] = static_cast<int>(loop);
  }
  return result;
}

}  // namespace compiled
