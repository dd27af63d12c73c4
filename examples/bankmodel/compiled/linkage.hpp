// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_LINKAGE_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_LINKAGE_HPP

#include <string>

namespace compiled {

// The mangled name without what compilers write differently: nvcc gives an unnamed namespace a name
// of its own, and static functions names that Clang gives to others. Two kernels of a file have the
// same name here if they are the same.
std::string common_linkage(const std::string& linkage);

}  // namespace compiled

#endif
