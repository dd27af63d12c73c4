// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "page.hpp"

// The arrays that pointers carve out of a dynamic one, where a launch has them.
namespace compiled {

// With its bytes in this launch.
struct placed_array {
  const carved_array* source = nullptr;
  std::size_t number = 0;  // in array_source::carved
  long long first = 0, end = 0;
};

// Returns the bytes of the array in the page's launch.
long long bytes_in_launch(const page& kernel_page, const code_array& array);

// Returns the size with the launch's arguments; nothing if one is not known.
std::optional<long long> launch_number(const page& kernel_page, const size_form& size);

// Returns them in ascending order; of a declared array of one dimension itself. None if a first
// byte is not known, or if two arrays begin at the same one.
std::vector<placed_array> placed_arrays(const page& kernel_page, const code_array& array);

// Returns the name of the array that people see: "sk" of float* sk = sq + d where all requests of
// the row are to it, else array_name().
std::string seen_name(const page& kernel_page, const priced_access& row);
// The same of the row that counts the access.
std::string seen_name(const page& kernel_page, const recorded_access& access);

// Returns why arrays that pointers carve out are not taken apart, of a kernel with conflicts: "smem
// is counted and planned as one array: sq and sk begin at the same byte".
std::vector<std::string> notes_of_views(const page& kernel_page);

}  // namespace compiled
