// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../code/array_source.hpp"

namespace compiled {

// The rows of one declaration in an instance of its template, as declared and as they should be.
struct instance_rows {
  int element_bytes = 0;
  long long declared = 0, planned = 0;  // elements of a row
};

// Returns the text of the last extent with which each instance has the rows that are planned, since
// they get words whatever the size of their elements is; nothing if there is none.
//   T tile[32][33] of float, planned 33, and of half, planned 34: "32 + 4 / sizeof(T)"
// Requires: the piece of the extent is its number; of [TILE + 1] that is the 1.
std::optional<std::string> extent_in_words(const array_source& source,
                                           const std::vector<instance_rows>& instances);

}  // namespace compiled
