// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_ARRAY_PLANS_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_ARRAY_PLANS_HPP

#include "page.hpp"

namespace compiled {

// For each array in shared memory whose accesses conflict and whose extents are known, the
// declaration with padded rows that costs least, if it costs less: "tile declared as tile[32][33]
// takes 64 wavefronts instead of 1,056, in 4,224 bytes instead of 4,096." Every recorded request to
// the array is counted; accesses stay as wide as they are.
std::vector<std::string> array_plans(const page& of);

}  // namespace compiled

#endif
