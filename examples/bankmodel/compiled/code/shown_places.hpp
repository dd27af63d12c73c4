// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "code.hpp"

namespace compiled {

// Inlined code of a file that is neither in the folder of `named` nor in that of the kernel gets
// the place of its outermost call that is in `named`, or else in the kernel's file: code of a
// library is counted at the line that calls it. `named`: the file that was named, or empty.
void show_calls_of_libraries(kernel_code& kernel, const std::string& named);

// The place of the code itself, as machine code has it.
place innermost(const kernel_code& kernel, const place& position);

// True if the file is in the folder of `named`, or in a folder of that.
bool is_in_folder_of(const std::string& named, const std::string& file);

// True for the file of a definition that is not in the folder of `named`; empty: none is known.
bool is_of_a_library(const std::string& file, const std::string& named);

}  // namespace compiled
