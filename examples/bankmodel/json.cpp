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
  for (std::size_t at = 0; at < text.size();) {
    const character one = character_at(text, at);
    at += one.bytes;
    // What is not UTF-8 counts as Latin-1, so that the output is always JSON.
    if (one.code == '"' || one.code == '\\')
      result += {'\\', static_cast<char>(one.code)};
    else if (one.code >= 0x20 && one.code < 0x7f)
      result += static_cast<char>(one.code);
    else if (one.code < 0x10000)
      result += escape_of(one.code);
    else
      result +=
          escape_of(0xd800 + ((one.code - 0x10000) >> 10)) + escape_of(0xdc00 + (one.code & 0x3ff));
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
