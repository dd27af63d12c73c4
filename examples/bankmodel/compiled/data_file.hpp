// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace compiled {

constexpr std::size_t most_data_bytes = 1 << 30;

struct file_data {
  std::vector<std::uint8_t> bytes;
  // Of a file of numpy.save(): 'i', 'u', 'f', 'b' (bool) or 'c' (complex), and an element's bytes.
  char kind = 0;
  int element_bytes = 0;
};

// Returns the data of a file: of one that NumPy's save() wrote its elements, little-endian and in
// the order of C, else all of its bytes. For numpy.array([3, 1], "int16"): 3, 0, 1, 0.
// Source: NumPy, "numpy.lib.format", versions 1.0 to 3.0.
// Error (command_line::refusal): the file cannot be read, or has more than `most_data_bytes`;
// elements of another order, or that are no numbers.
file_data data_of(const std::string& file);

// Error (command_line::refusal): elements of NumPy's that are no `type`, a number in C++ such as
// "const float"; types that are not known here may have any.
void require_elements(const file_data& data, const std::string& type, const std::string& name,
                      const std::string& file);

}  // namespace compiled
