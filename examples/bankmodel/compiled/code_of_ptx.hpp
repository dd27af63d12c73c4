// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "code_of_file.hpp"

namespace compiled {

// Reads the kernels of PTX. `made_of`: the source file that the text was compiled from; empty if
// the PTX itself was given, as asked.file: then Triton's files beside it say how it is launched.
// Error (command_line::refusal): the text is no PTX.
code_of_file code_of_ptx(const question& asked, const std::string& text,
                         const std::string& made_of);

// As pass_over_kernels(), which is done with source before the code is read.
void pass_over_kernels_of_ptx(const question& asked, const std::string& made_of,
                              code_of_file& code);

}  // namespace compiled
