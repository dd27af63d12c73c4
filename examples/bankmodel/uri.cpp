// SPDX-License-Identifier: MIT
#include "uri.hpp"

#include <cstdlib>
#include <string_view>

namespace command_line {

namespace {

constexpr std::string_view scheme = "file://", digits = "0123456789ABCDEF";

}  // namespace

std::string uri_of(const std::string& path) {
  std::string result(path.substr(0, 1) == "/" ? scheme : "");
  for (const char letter : path) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool is_plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                          (letter >= '0' && letter <= '9') ||
                          std::string_view("-._~/").find(letter) != std::string_view::npos;
    if (is_plain)
      result += letter;
    else
      result += {'%', digits[byte >> 4], digits[byte & 15]};
  }
  return result;
}

std::string path_of_uri(const std::string& uri) {
  if (!uri.starts_with(scheme)) return {};
  // file://localhost/home is file:///home.
  const std::size_t first = uri.find('/', scheme.size());
  const std::string host =
      uri.substr(scheme.size(), first == uri.npos ? first : first - scheme.size());
  if (first == uri.npos || (!host.empty() && host != "localhost")) return {};
  std::string result;
  for (std::size_t position = first; position < uri.size(); ++position) {
    const std::string code = uri[position] == '%' ? uri.substr(position + 1, 2) : "";
    if (code.size() == 2 && code.find_first_not_of("0123456789abcdefABCDEF") == code.npos) {
      result += static_cast<char>(std::strtol(code.c_str(), nullptr, 16));
      position += 2;
    } else {
      result += uri[position];
    }
  }
  return result;
}

}  // namespace command_line
