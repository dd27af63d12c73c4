// SPDX-License-Identifier: MIT
#pragma once

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
