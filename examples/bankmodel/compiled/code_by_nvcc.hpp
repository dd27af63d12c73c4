// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "code_of_file.hpp"

// The kernels of a source file as nvcc compiles them, instead of those that Clang's libraries read
// or beside them.
namespace compiled {

// Reads the PTX that nvcc makes of asked.file. `launches`: those in its host code, as Clang's
// libraries find them.
// Error (command_line::refusal): as ptx_by_nvcc().
code_of_file code_by_nvcc(const question& asked, std::vector<found_launch> launches);

// True if nvcc is on this machine and may compile what was not read: the file is CUDA, and a
// toolkit has all headers that were not found.
bool may_ask_nvcc(const question& asked, const source_reading& reading);

// The same for a file of which nothing was read; a note has the `reason`.
// Error (command_line::refusal): as ptx_by_nvcc().
code_of_file code_by_nvcc_alone(const question& asked, const source_reading& reading,
                                const command_line::refusal& reason,
                                std::vector<found_launch> launches);

// Adds the kernels in nvcc's PTX that were not read, if nvcc compiles the file; a note says which.
void add_kernels_by_nvcc(const question& asked, code_of_file& result);

}  // namespace compiled
