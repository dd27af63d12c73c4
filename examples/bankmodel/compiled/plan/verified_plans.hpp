// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_PLAN_VERIFIED_PLANS_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_PLAN_VERIFIED_PLANS_HPP

#include "../counted_kernel.hpp"

namespace compiled {

// Verifies the plans of a kernel's pages: the edits of each are applied to the source in memory,
// which is compiled and counted again for the same launch. A plan keeps its edits if all requests
// are to the same elements as before, and its `after` is the new count; else it has no edit, and a
// refusal that says why. Of several plans for one array those that take fewest wavefronts stay: the
// best declaration, and another layout if it takes fewer. A plan that does not take fewer than the
// array takes now is left out, and page::without_plan says so.
// Requires: question::text is the source.
void verify_plans(const question& asked, counted_kernel& of);

// Returns why a kernel that was counted again is not the same one with these arrays as planned;
// empty if it is.
std::string difference_from_plans(const page& before, const page& after,
                                  const std::vector<array_plan>& plans);

// The kernel of the question with another text of the file, without plans.
// Error (command_line::refusal): it does not compile, or does not run.
std::unique_ptr<counted_kernel> counted_again(const question& asked, const kernel_code& kernel,
                                              const std::string& text);

}  // namespace compiled

#endif
