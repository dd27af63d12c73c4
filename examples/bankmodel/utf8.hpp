// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Text of unknown origin, such as names of files and lines of sources: it should be UTF-8, and may
// be any bytes.
namespace command_line {

struct character {
  std::uint32_t code = 0;  // its number in Unicode
  std::size_t bytes = 1;
  bool is_valid = false;  // if not, it is one byte that is not UTF-8, and `code` is that byte
};

// The character that begins at byte `position`. Requires: position < text.size().
character character_at(std::string_view text, std::size_t position);

// The number of characters; each byte that is not UTF-8 is one.
std::size_t length(std::string_view text);

// The text for a terminal: tabs become blanks up to the next multiple of 8 columns, and control
// characters and bytes that are not UTF-8 become '?'.
std::string printable(std::string_view text);

// At most `width` characters of a printable text; ".." stands for what follows.
std::string cut(std::string_view text, std::size_t width);

// Part of a line with at most `width` characters that contains the character number `position`,
// from 0; `position` becomes its place in the part.
std::string cut_around(std::string_view text, std::size_t& position, std::size_t width);

}  // namespace command_line
