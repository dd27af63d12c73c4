// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "code_of_file.hpp"
#include "page/array_plan.hpp"

namespace compiled {

// Returns what a plan changes in the launches of these kernels, and in the calls that limit their
// dynamic bytes: `bytes` becomes `bytes + 4 * Bc`, with the launch's own arguments. None: one of
// the launches cannot be changed so, a kernel has none in the file, or one was not read.
std::vector<text_edit> launch_edits(const code_of_file& code,
                                    const std::vector<const kernel_code*>& kernels,
                                    const array_plan& plan);

}  // namespace compiled
