// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "../description/symbolic_run.hpp"

namespace compiled {

// True for blocks that the lanes of a warp may come to in several groups although they rejoin as
// early as the code allows: some of them wait before, at a barrier or at an instruction that names
// lanes, which others do not come to.
std::vector<bool> separated_lanes(const launch& options, symbolic_run& run);

}  // namespace compiled
