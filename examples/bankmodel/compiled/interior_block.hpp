// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "assumptions.hpp"
#include "counted_kernel.hpp"

namespace compiled {

// Other runs of a kernel, in which more of what its formulas assume may hold; the first that does
// is to be taken. They are of a block inside of the grid, the later ones with fewer iterations:
// with many a filter reaches from there to the border. None: the run agrees with the formulas, or
// all blocks are at the border.
//
// Example: out[x] = the sum of in[x - r .. x + r] where these are in the array. Threads of the
// first block leave some out, and with r = 1024 those of the second one too; with r = 4 they do
// not.
std::vector<std::shared_ptr<const earlier_run>> interior_runs(const counted_kernel& counted);

// True if `other`, a run of the same kernel, is what its formulas say of more accesses than in
// `counted`, and makes each access that `counted` makes.
bool agrees_with_more_formulas(const counted_kernel& other, const counted_kernel& counted);

}  // namespace compiled
