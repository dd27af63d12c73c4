// SPDX-License-Identifier: MIT
#pragma once

#include <bankmodel/model/machine.hpp>
#include <vector>

#include "counted_kernel.hpp"

namespace compiled {

// Compares the accesses as issued with the cubin that was given, or else with the one that was made
// of nvcc's PTX.
// Error (command_line::refusal): the given one cannot be read, or is for another machine.
void confirm(const question& asked, const std::vector<bm::machine>& machines,
             counted_kernel& counted);

}  // namespace compiled
