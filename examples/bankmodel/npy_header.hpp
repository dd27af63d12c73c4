// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

// Files that NumPy's save() wrote. Source: NumPy, "numpy.lib.format", versions 1.0 to 3.0.
namespace command_line {

constexpr std::string_view npy_begin = "\x93NUMPY";

inline bool is_npy(std::string_view text) { return text.starts_with(npy_begin); }

struct npy_header {
  bool is_known = false;         // the file has a header of a known version
  std::size_t end = 0;           // where the elements begin
  std::string_view type, shape;  // `'<i4'`, `(3, 4)`; empty if it does not say
  bool is_in_order_of_c = false;
};

// Requires: is_npy(text). It views the text.
inline npy_header npy_header_of(std::string_view text) {
  const auto byte = [&](std::size_t offset) -> std::size_t {
    return offset < text.size() ? static_cast<unsigned char>(text[offset]) : 0u;
  };
  const std::size_t version = byte(npy_begin.size()), begin = version == 1 ? 10 : 12;
  const std::size_t size =
      byte(8) + 256 * byte(9) + (version == 1 ? 0 : 65536 * (byte(10) + 256 * byte(11)));
  if (version < 1 || version > 3 || begin > text.size() || size > text.size() - begin) return {};
  const std::string_view header = text.substr(begin, size);
  const auto value_of = [&](std::string_view key) -> std::string_view {
    const std::size_t position = header.find(key);
    if (position == header.npos) return {};
    const std::size_t colon = header.find(':', position + key.size());
    if (colon == header.npos) return {};
    const std::size_t first = header.find_first_not_of(' ', colon + 1);
    if (first == header.npos) return {};
    const bool is_tuple = header[first] == '(';
    const std::size_t last = header.find_first_of(is_tuple ? ")" : ",}", first);
    return last == header.npos ? header.substr(first)
                               : header.substr(first, last + is_tuple - first);
  };
  return {true, begin + size, value_of("'descr'"), value_of("'shape'"),
          value_of("'fortran_order'") == "False"};
}

}  // namespace command_line
