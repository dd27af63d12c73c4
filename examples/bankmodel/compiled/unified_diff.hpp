// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_UNIFIED_DIFF_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_UNIFIED_DIFF_HPP

#include <string>

namespace compiled {

// Returns the difference of two texts of equally many lines as `diff -u` prints it, for `patch
// -p0`; empty if they are equal.
// Requires: line k of one text corresponds to line k of the other.
std::string unified_diff(const std::string& file, const std::string& old_text,
                         const std::string& new_text);

}  // namespace compiled

#endif
