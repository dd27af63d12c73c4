// SPDX-License-Identifier: MIT
#include "json.hpp"

#include <cstdio>

namespace command_line {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\')
      result += {'\\', letter};
    else if (byte >= 0x20 && byte < 0x7f)
      result += letter;
    else {  // a file's name only; treated as Latin-1, so that the output is always JSON
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(byte));
      result += code;
    }
  }
  return result + "\"";
}

std::string members(const bm::cost& cost) {
  return joined("\"requests\": ", cost.requests, ", \"wavefronts\": ", cost.wavefronts,
                ", \"ideal\": ", cost.ideal, ", \"conflicts\": ", cost.conflicts(),
                ", \"degree\": ", cost.degree);
}

std::string members(const bm::memory_traffic& traffic) {
  return joined("\"requests\": ", traffic.requests, ", \"transactions\": ", traffic.transactions,
                ", \"ideal\": ", traffic.ideal, ", \"lines\": ", traffic.lines,
                ", \"bytes_used\": ", traffic.bytes_used,
                ", \"bytes_moved\": ", traffic.bytes_moved);
}

}  // namespace command_line
