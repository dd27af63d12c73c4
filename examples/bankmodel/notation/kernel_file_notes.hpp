// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "kernel_file.hpp"

namespace command_line {

// What the reader should know about the numbers of a kernel file, beside what was assumed:
// "7 statements without shared memory were skipped, in lines 3, 4, 9". `has_machine`: one was named
// on the command line.
std::vector<std::string> notes_of(const source& input, const kernel_file& kernel, bool has_machine);

}  // namespace command_line
