// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

// Identifiers of C in text.
namespace compiled {

inline bool is_identifier_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

// True if the text has no other characters: of "tile" and of "32", not of "a.b".
inline bool is_identifier(std::string_view text) {
  return std::ranges::all_of(text, is_identifier_letter);
}

// The offset of the first identifier in the text with this name, npos if none has: 4 for "t" in
// "to, t".
inline std::size_t find_identifier(std::string_view text, std::string_view name) {
  for (std::size_t first = text.find(name); first != text.npos;
       first = text.find(name, first + 1)) {
    const std::size_t last = first + name.size();
    if ((first == 0 || !is_identifier_letter(text[first - 1])) &&
        (last == text.size() || !is_identifier_letter(text[last])))
      return first;
  }
  return text.npos;
}

}  // namespace compiled
