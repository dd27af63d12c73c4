// SPDX-License-Identifier: MIT
// The extents of generated accesses, once their threads have been run.
#ifndef BANKMODEL_TESTS_FIT_HPP
#define BANKMODEL_TESTS_FIT_HPP

#include "generate.hpp"
#include "oracle.hpp"
#include "run_plainly.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace generated {

// Sets the extents that depend on the touched elements, and moves the subscripts.
inline void fit(one_case& c, std::vector<std::vector<plainly::touch>>& warps) {
  for (int d = 0; d < c.rank; ++d) {
    const auto dimension = static_cast<std::size_t>(d);
    const auto& rule = c.fit[d];
    long long lowest = 1ll << 62, highest = -lowest;
    for (const auto& warp : warps)
      for (const auto& touch : warp)
        lowest = std::min(lowest, touch.subscripts[dimension]),
        highest = std::max(highest, touch.subscripts[dimension]);
    if (!rule.wanted || lowest > highest) continue;
    const long long unit = d == c.rank - 1 ? c.vector : 1;
    if (rule.moved_by >= 0) {
      const long long distance = rule.minimum - oracle::floor_divided(lowest, unit) * unit;
      c.nodes[rule.moved_by].value += distance;
      highest += distance;
      for (auto& warp : warps)
        for (auto& touch : warp) touch.subscripts[dimension] += distance;
    }
    c.extent[d] = std::max(highest + unit + rule.padding, 1ll);
  }
}

}  // namespace generated

#endif
