// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace compiled {

// The names of a file's kernels for tables: without the namespaces of their template arguments, and
// without those of the kernels where no two kernels differ by them. Of an instance the arguments
// are left out that neither fit nor tell it from others: "gemm<float, 128, 128>", and so are tags
// of an ABI. Different names stay different.
std::vector<std::string> short_names(const std::vector<std::string>& names);

// The name without the namespaces and classes around it, with its own arguments and parameters:
// "k<b::t>(b::t*)" for "a::c<b::t>::k<b::t>(b::t*)".
std::string unqualified_name(const std::string& name);

// The name without the arguments of the template: gemm of gemm<32>.
inline std::string template_of(const std::string& name) { return name.substr(0, name.find('<')); }

}  // namespace compiled
