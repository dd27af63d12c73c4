// SPDX-License-Identifier: MIT
#include "utf8.hpp"

#include <algorithm>

namespace command_line {

character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t number) {
    return number < text.size() ? static_cast<unsigned char>(text[number]) : 0u;
  };
  const std::uint32_t first = byte(at);
  const character wrong = {first, 1, false};
  if (first < 0x80) return {first, 1, true};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return wrong;
  std::uint32_t code = first & (0xffu >> (bytes + 1));
  for (std::size_t next = 1; next < bytes; ++next) {
    if ((byte(at + next) & 0xc0) != 0x80) return wrong;
    code = code << 6 | (byte(at + next) & 0x3f);
  }
  // Longer than necessary, a half of a pair of UTF-16, or past the last character.
  const std::uint32_t least = bytes == 4 ? 0x10000 : bytes == 3 ? 0x800 : 0x80;
  if (code < least || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff) return wrong;
  return {code, bytes, true};
}

std::size_t length(std::string_view text) {
  std::size_t result = 0;
  for (std::size_t at = 0; at < text.size(); at += character_at(text, at).bytes) ++result;
  return result;
}

std::string printable(std::string_view text) {
  constexpr std::size_t tab = 8;
  std::string result;
  std::size_t column = 0;
  for (std::size_t at = 0; at < text.size();) {
    const character one = character_at(text, at);
    const bool is_control = one.code < 0x20 || (one.code >= 0x7f && one.code < 0xa0);
    if (text[at] == '\t') {
      result.append(tab - column % tab, ' ');
      column += tab - column % tab;
    } else {
      result += one.is_valid && !is_control ? text.substr(at, one.bytes) : "?";
      ++column;
    }
    at += one.bytes;
  }
  return result;
}

namespace {

// `count` characters from character `first` on.
std::string_view part(std::string_view text, std::size_t first, std::size_t count) {
  const auto byte_of = [&](std::size_t number) {
    std::size_t at = 0;
    for (; number > 0 && at < text.size(); --number) at += character_at(text, at).bytes;
    return at;
  };
  const std::size_t begin = byte_of(first);
  return text.substr(begin, byte_of(first + count) - begin);
}

}  // namespace

std::string cut(std::string_view text, std::size_t width) {
  if (length(text) <= width) return std::string(text);
  return std::string(part(text, 0, std::max<std::size_t>(width, 2) - 2)) + "..";
}

std::string cut_around(std::string_view text, std::size_t& at, std::size_t width) {
  const std::size_t all = length(text);
  width = std::max<std::size_t>(width, 8);
  if (all <= width) return std::string(text);
  if (at + 2 < width) return cut(text, width);
  // The place is in the middle, if enough follows.
  const std::size_t first = std::min(at - width / 2, all - width) + 2;
  const std::string rest = cut(part(text, first, all), width - 2);
  at = at - first + 2;
  return ".." + rest;
}

}  // namespace command_line
