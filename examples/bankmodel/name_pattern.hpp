// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace command_line {

// True if the whole name is that of the pattern, in which * stands for any letters and ? for one.
inline bool matches(std::string_view name, std::string_view pattern) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*')
    return matches(name, pattern.substr(1)) || (!name.empty() && matches(name.substr(1), pattern));
  return !name.empty() && (pattern[0] == '?' || pattern[0] == name[0]) &&
         matches(name.substr(1), pattern.substr(1));
}

}  // namespace command_line
