// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace compiled {

// The mangled name without what compilers write differently: nvcc gives an unnamed namespace a name
// of its own, and static functions names that Clang gives to others. Two kernels of a file have the
// same name here if they are the same.
std::string common_linkage(const std::string& linkage);

// The name as it is written, with the arguments of its template and without its parameters:
// "(anonymous namespace)::sum<4>" of _ZN12_GLOBAL__N_13sumILi4EEEvPfi. What is not mangled stays.
std::string demangled(const std::string& linkage);

}  // namespace compiled
