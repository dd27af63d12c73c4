// SPDX-License-Identifier: MIT
#include "loop_passes.hpp"

#include "../code/control_flow.hpp"
#include "values.hpp"

namespace compiled {

loop_ends::loop_ends(const kernel_analysis& analysis, const launch& settings) {
  if (settings.assumed.empty()) return;
  const kernel_code& kernel = analysis.kernel();
  const loop_structure& loops = analysis.loops();
  of_block_.assign(kernel.blocks.size(), -1);
  for (std::size_t block = 0; block < kernel.blocks.size(); ++block) {
    const std::vector<int>& next = successors(kernel.blocks[block]);
    if (next.size() != 2 || loops.innermost[block] < 0 ||
        settings.assumed.count(kernel.blocks[block].instructions.back().location.line) == 0)
      continue;
    const natural_loop& loop = loops.loops[slot(loops.innermost[block])];
    const bool stays[] = {loop.has[slot(next[0])], loop.has[slot(next[1])]};
    if (stays[0] == stays[1]) continue;
    of_block_[block] = static_cast<int>(ends_.size());
    ends_.push_back({loop.header, stays[0], loop.has});
  }
}

loop_passes::loop_passes(const loop_ends& branches, int lanes)
    : branches_(&branches),
      passes_(branches.ends().size(),
              std::vector<std::uint64_t>(static_cast<std::size_t>(lanes), 0)) {}

void loop_passes::leave(const std::vector<int>& successors, int block, std::uint64_t lanes) {
  for (std::size_t branch = 0; branch < passes_.size(); ++branch) {
    const loop_ends::loop_end& loop = branches_->ends()[branch];
    if (loop.in_loop[slot(block)] || !includes(successors, loop.header)) continue;
    for_each_lane(lanes, [&](int lane) { passes_[branch][slot(lane)] = 0; });
  }
}

std::uint64_t loop_passes::unfinished(int branch, std::uint64_t times, std::uint64_t lanes) const {
  std::uint64_t result = 0;
  const std::vector<std::uint64_t>& passes = passes_[slot(branch)];
  for_each_lane(lanes, [&](int lane) {
    if (passes[slot(lane)] < times) result |= std::uint64_t{1} << lane;
  });
  return result;
}

void loop_passes::go_on(int branch, std::uint64_t lanes) {
  std::vector<std::uint64_t>& passes = passes_[slot(branch)];
  for_each_lane(lanes, [&](int lane) { ++passes[slot(lane)]; });
}

}  // namespace compiled
