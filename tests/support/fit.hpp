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
    const auto& how = c.fit[d];
    long long lowest = 1ll << 62, highest = -lowest;
    for (const auto& warp : warps)
      for (const auto& touch : warp)
        lowest = std::min(lowest, touch.at[dimension]),
        highest = std::max(highest, touch.at[dimension]);
    if (!how.wanted || lowest > highest) continue;
    const long long unit = d == c.rank - 1 ? c.vector : 1;
    if (how.moved_by >= 0) {
      const long long by = how.below - oracle::floor_divided(lowest, unit) * unit;
      c.nodes[how.moved_by].value += by;
      highest += by;
      for (auto& warp : warps)
        for (auto& touch : warp) touch.at[dimension] += by;
    }
    c.extent[d] = std::max(highest + unit + how.behind, 1ll);
  }
}

}  // namespace generated

#endif
