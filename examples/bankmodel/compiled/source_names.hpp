// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "code/code.hpp"
#include "page/source_lines.hpp"

namespace compiled {

// The names of a kernel's parameters as a source of C++ writes them: out, in, n of
// `__global__ void scale(float* out, const float* in, int n = 1) {`. `name`: the kernel's, without
// namespaces and template arguments. Empty: the source defines no such kernel, several with other
// names, or one with a parameter without a name.
std::vector<std::string> parameter_names(const std::vector<std::string>& lines,
                                         const std::string& name);

// The function of a Python source that a kernel of CuTe DSL was made of: transpose of
// kernel_cutlass_transpose_tensorptrf32gmem_0, for `def transpose(`. Empty: the source has none.
std::string python_function(const std::vector<std::string>& lines, const std::string& linkage);

// Gives a kernel of CuTe DSL the name of its function, and the parameters of a kernel of PTX, which
// are p0, p1, .. there, their names in the source that it was compiled from, if it is found.
void take_names_of_source(kernel_code& kernel, source_lines& lines);

}  // namespace compiled
