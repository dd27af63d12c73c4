// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "assumptions.hpp"
#include "counted_kernel.hpp"

namespace compiled {

// Other runs of a kernel in which more of what its formulas assume may hold, the best first: of a
// block that is not at the border of its grid, and with fewer iterations, since a filter may be
// wider than that block's distance from the border. None: the run agrees with the formulas,
// or all blocks are at the border.
//
// Example: out[x] = the sum of in[x - r .. x + r] where these are in the array. Threads of the
// first block leave some out, and with r = 1024 those of the second one too; with r = 4 they do
// not.
std::vector<std::shared_ptr<const earlier_run>> interior_runs(const counted_kernel& counted);

// True if the formulas of `other`, a run of the same kernel, agree with more of its accesses, and
// the run makes each access that `counted` makes.
bool is_better_founded(const counted_kernel& other, const counted_kernel& counted);

}  // namespace compiled
