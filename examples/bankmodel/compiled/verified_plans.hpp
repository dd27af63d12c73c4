// SPDX-License-Identifier: MIT
#pragma once

#include "recounts.hpp"

namespace compiled {

// Verifies the plans of kernels that were read together: the edits of each plan are applied to the
// source in memory, which is compiled and counted again for the same launches. A declaration that
// several kernels have, as the instances of a template have theirs, is changed for all of them:
// each is counted again, and of several changes the one stays with which they take fewest
// wavefronts together. A plan keeps its edits if all requests are to the same elements as before,
// and its `planned_cost` is the new count; else it has no edit, and a refusal that says why. Of
// several plans for one array those that take fewest wavefronts stay: the best declaration, and
// another layout if it takes fewer. A plan that does not take fewer than the array takes now is
// left out, and page::without_plan says so.
void verify_plans(const std::vector<planned_kernel>& kernels);

// Where an array is declared, which kernels and instances share; empty if nobody knows.
std::string declaration_of(const kernel_code& kernel, const code_array& array);

// The plans of another kernel's arrays with the declaration that the plan changes, where the
// kernel's arrays are those of `new_page` with the change. None: no array has it, or the layout of
// one with the change is not that of the plan.
std::vector<array_plan> plans_in(const page& other, const page& new_page, const page& planned,
                                 const array_plan& plan);

// Returns why a kernel that was counted again is not the same one with these arrays as planned;
// empty if it is.
std::string difference_from_plans(const page& old_page, const page& new_page,
                                  const std::vector<array_plan>& plans);

}  // namespace compiled
