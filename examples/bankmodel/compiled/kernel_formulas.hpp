// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_KERNEL_FORMULAS_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_KERNEL_FORMULAS_HPP

#include <set>

#include "page/page.hpp"

namespace compiled {

// The costs of the page's kernel as formulas of the arguments that `known` does not have. A formula
// that is not the count of the page's own run, at the values that this assumed, is left out.
// Empty if no cost depends on these arguments.
page_formulas formulas_of(const page& of, const launch& known);

// The arrays in shared memory all of whose accesses have addresses that depend on the thread and on
// loops of known trips alone: not on arguments that `known` does not have, the block, or data.
std::set<int> arrays_with_known_addresses(const page& of, const launch& known);

}  // namespace compiled

#endif
