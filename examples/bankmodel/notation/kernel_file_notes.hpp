// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_NOTATION_KERNEL_FILE_NOTES_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_NOTATION_KERNEL_FILE_NOTES_HPP

#include <string>
#include <vector>

#include "kernel_file.hpp"

namespace command_line {

// What the reader should know about the numbers of a kernel file, beside what was assumed:
// "7 statements without shared memory were skipped, in lines 3, 4, 9". `has_machine`: one was named
// on the command line.
std::vector<std::string> notes_of(const source& input, const kernel_file& kernel, bool has_machine);

}  // namespace command_line

#endif
