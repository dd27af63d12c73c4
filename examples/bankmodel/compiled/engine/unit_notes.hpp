// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "../code/code.hpp"

// What a page says of instructions for units beside the warps.
namespace compiled {

// Their places, and that what the unit accesses is not counted.
std::string note_of_unit(const kernel_code& kernel, memory_unit unit,
                         const std::vector<place>& places);

// One, if the kernel has PTX's elect.sync: which lane it is taken to elect.
std::vector<std::string> notes_of_elections(const kernel_code& kernel);

}  // namespace compiled
