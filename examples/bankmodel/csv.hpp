// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace command_line {

// A text as a cell of comma-separated values: `f(a, "b")` is "f(a, ""b"")".
inline std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"') result += letter;
    result += letter;
  }
  return result + "\"";
}

}  // namespace command_line
