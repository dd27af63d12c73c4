// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace compiled {

// Returns the difference of two texts as `diff -u` prints it, for `patch -p0` and `git apply -p0`,
// with the fewest changed lines; empty if they are equal.
std::string unified_diff(const std::string& file, const std::string& old_text,
                         const std::string& new_text);

}  // namespace compiled
