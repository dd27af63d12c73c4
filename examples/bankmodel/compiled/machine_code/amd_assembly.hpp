// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "machine_code.hpp"

// The assembly text of LLVM's back end for AMD: hipcc -S, and Triton's *.amdgcn.
namespace compiled {

// The accesses of one function. All may be repeated: loops are not looked for.
std::vector<machine_access> accesses_in_assembly(std::string_view text,
                                                 const std::string& function);

// The kernels of the text, with their loops.
machine_file kernels_in_amd_assembly(std::string_view text);

}  // namespace compiled
