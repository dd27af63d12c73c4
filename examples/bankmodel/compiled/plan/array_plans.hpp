// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_PLAN_ARRAY_PLANS_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_PLAN_ARRAY_PLANS_HPP

#include "../page/page.hpp"

namespace compiled {

// For each array in shared memory whose accesses conflict and whose extents are known, the layouts
// that cost least: the best declaration, and the best layout if that one takes fewer wavefronts.
// Every recorded request to the array is counted. Accesses stay as wide as they are: a layout in
// which one of them is not aligned, or not in one piece, is not tried. The first plans of all
// arrays together fit into the shared memory of a block. A dynamic array of one dimension has the
// elements that the launch gives it.
// `without`: gets the reason for each array with conflicts that no layout was looked for.
std::vector<array_plan> array_plans(const page& of, std::vector<std::string>* without = nullptr);

}  // namespace compiled

#endif
