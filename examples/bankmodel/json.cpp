// SPDX-License-Identifier: MIT
#include "json.hpp"

#include <cstdio>

#include "utf8.hpp"

namespace command_line {

namespace {

std::string escape_of(std::uint32_t utf16) {
  char code[8];
  std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(utf16));
  return code;
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (std::size_t offset = 0; offset < text.size();) {
    const character letter = character_at(text, offset);
    offset += letter.bytes;
    // What is not UTF-8 counts as Latin-1, so that the output is always JSON.
    if (letter.code == '"' || letter.code == '\\')
      result += {'\\', static_cast<char>(letter.code)};
    else if (letter.code >= 0x20 && letter.code < 0x7f)
      result += static_cast<char>(letter.code);
    else if (letter.code < 0x10000)
      result += escape_of(letter.code);
    else
      result += escape_of(0xd800 + ((letter.code - 0x10000) >> 10)) +
                escape_of(0xdc00 + (letter.code & 0x3ff));
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
