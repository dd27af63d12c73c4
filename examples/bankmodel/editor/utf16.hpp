// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

#include "../utf8.hpp"

namespace editor {

// The code units of UTF-16 that the first `bytes` bytes of a line take, which editors count in:
// 1 for a letter of any alphabet, 2 for most pictographs. A line that is shorter has them all.
inline std::size_t utf16_units(std::string_view line, std::size_t bytes) {
  std::size_t result = 0;
  for (std::size_t offset = 0; offset < line.size() && offset < bytes;) {
    const command_line::character letter = command_line::character_at(line, offset);
    result += letter.code >= 0x10000 ? 2 : 1;
    offset += letter.bytes;
  }
  return result;
}

}  // namespace editor
