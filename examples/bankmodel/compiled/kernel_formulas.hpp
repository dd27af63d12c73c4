// SPDX-License-Identifier: MIT
#pragma once

#include <set>

#include "page/page.hpp"

namespace compiled {

// The costs of the page's kernel as formulas of the arguments that `known` does not have. A formula
// that is not the count of the page's own run, at the values that this assumed, is left out.
// Empty if no cost depends on these arguments.
page_formulas formulas_of(const page& shown_page, const launch& known);

// The numbers of the arrays in shared memory, as in kernel_code::shared, whose accesses in the
// page's run are those of every execution, or more: their addresses and lanes depend on the thread
// and on loops of known trips alone. `known`: the launch with the arguments that other executions
// have too, and with is_any_block for those of all blocks. t[threadIdx.x] is known, t[n] is not
// without n, nor t[threadIdx.x] of threads below an n that leaves some out here.
// `shown`: instructions, by their numbers among those that access memory, of which that is known.
std::set<int> arrays_with_known_addresses(const page& shown_page, const launch& known,
                                          const std::set<int>& shown = {});

}  // namespace compiled
