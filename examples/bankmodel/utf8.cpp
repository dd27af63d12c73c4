// SPDX-License-Identifier: MIT
#include "utf8.hpp"

#include <algorithm>

namespace command_line {

character character_at(std::string_view text, std::size_t position) {
  const auto byte = [&](std::size_t number) {
    return number < text.size() ? static_cast<unsigned char>(text[number]) : 0u;
  };
  const std::uint32_t first = byte(position);
  const character wrong = {first, 1, false};
  if (first < 0x80) return {first, 1, true};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return wrong;
  std::uint32_t code = first & (0xffu >> (bytes + 1));
  for (std::size_t next = 1; next < bytes; ++next) {
    if ((byte(position + next) & 0xc0) != 0x80) return wrong;
    code = code << 6 | (byte(position + next) & 0x3f);
  }
  // Longer than necessary, a half of a pair of UTF-16, or past the last character.
  const std::uint32_t minimum = bytes == 4 ? 0x10000 : bytes == 3 ? 0x800 : 0x80;
  if (code < minimum || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff) return wrong;
  return {code, bytes, true};
}

std::size_t length(std::string_view text) {
  std::size_t result = 0;
  for (std::size_t position = 0; position < text.size();
       position += character_at(text, position).bytes)
    ++result;
  return result;
}

std::string printable(std::string_view text) {
  constexpr std::size_t tab = 8;
  std::string result;
  std::size_t column = 0;
  for (std::size_t position = 0; position < text.size();) {
    const character letter = character_at(text, position);
    const bool is_control = letter.code < 0x20 || (letter.code >= 0x7f && letter.code < 0xa0);
    if (text[position] == '\t') {
      result.append(tab - column % tab, ' ');
      column += tab - column % tab;
    } else {
      result += letter.is_valid && !is_control ? text.substr(position, letter.bytes) : "?";
      ++column;
    }
    position += letter.bytes;
  }
  return result;
}

namespace {

// `count` characters from character `first` on.
std::string_view part(std::string_view text, std::size_t first, std::size_t count) {
  const auto byte_of = [&](std::size_t number) {
    std::size_t position = 0;
    for (; number > 0 && position < text.size(); --number)
      position += character_at(text, position).bytes;
    return position;
  };
  const std::size_t begin = byte_of(first);
  return text.substr(begin, byte_of(first + count) - begin);
}

}  // namespace

std::string cut(std::string_view text, std::size_t width) {
  if (length(text) <= width) return std::string(text);
  return std::string(part(text, 0, std::max<std::size_t>(width, 2) - 2)) + "..";
}

std::string cut_around(std::string_view text, std::size_t& position, std::size_t width) {
  const std::size_t total = length(text);
  width = std::max<std::size_t>(width, 8);
  if (total <= width) return std::string(text);
  if (position + 2 < width) return cut(text, width);
  // The place is in the middle, if enough follows.
  const std::size_t first = std::min(position - width / 2, total - width) + 2;
  const std::string rest = cut(part(text, first, total), width - 2);
  position = position - first + 2;
  return ".." + rest;
}

}  // namespace command_line
