// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_PAGE_SOURCE_FUNCTIONS_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_PAGE_SOURCE_FUNCTIONS_HPP

#include <string>
#include <vector>

namespace compiled {

// Lines, from 1, both included.
struct line_range {
  int first = 0, last = 0;
  bool operator==(const line_range&) const = default;
};

// The functions of a C++ source, from their braces: each outermost pair whose head has a
// parenthesis, with its head. Namespaces and classes are passed through. It serves to choose the
// lines that are shown; what macros open or close is not seen.
std::vector<line_range> functions_of(const std::vector<std::string>& lines);

}  // namespace compiled

#endif
