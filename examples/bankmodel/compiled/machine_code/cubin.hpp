// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "machine_code.hpp"

// The widths of the accesses in machine code of NVIDIA, line by line of the source: what
// nvcc -cubin -lineinfo writes. Addresses are not decoded, and neither is how often a loop is
// executed.
namespace compiled {

// Reads one kernel, by its mangled name as nvcc or as Clang writes it, of sm_75 to sm_121.
// Error (machine_code_error): the text is not a cubin, or is cut off; it is for another kind of
// machine; it has no such kernel, or no line information of it.
machine_code read_cubin(std::string_view text, const std::string& linkage);

// Reads all kernels; those without line information too.
// Error (machine_code_error): as there.
machine_file kernels_in_cubin(std::string_view text);

}  // namespace compiled
