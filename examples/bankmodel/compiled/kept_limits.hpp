// SPDX-License-Identifier: MIT
#pragma once

#include "counted_kernel.hpp"

namespace compiled {

// The limits of a kernel.
command_line::cost_limits limits_of(const question& asked, const kernel_code& kernel);

// Compares each page of a kernel with its limits: sets the exit code, and says what exceeds them,
// and what they say nothing about. `is_named`: the messages name the kernel.
void keep_limits(const counted_kernel& counted, const question& asked, bool is_named,
                 command_line::answer& result);

}  // namespace compiled
