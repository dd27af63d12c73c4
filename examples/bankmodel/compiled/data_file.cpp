// SPDX-License-Identifier: MIT
#include "data_file.hpp"

#include <fstream>
#include <string_view>

#include "../terminal.hpp"
#include "ask.hpp"

namespace compiled {

using command_line::joined;
using command_line::refusal;

namespace {

constexpr std::string_view npy_begin = "\x93NUMPY";

[[noreturn]] void refuse(const std::string& file, const std::string& wrong,
                         const std::string& right) {
  throw refusal{{}, joined("--data: ", file, " ", wrong), right};
}

// What the header says of a key: `'<i4'`, `False`.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(key);
  const std::size_t colon = at == header.npos ? at : header.find(':', at + key.size());
  const std::size_t begin = colon == header.npos ? colon : header.find_first_not_of(' ', colon + 1);
  if (begin == header.npos) return {};
  return header.substr(begin, header.find_first_of(",}", begin) - begin);
}

// The bytes before the elements.
std::size_t header_of(const std::string& file, std::string_view text) {
  const auto byte = [&](std::size_t at) {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u;
  };
  const std::size_t version = byte(npy_begin.size());
  const std::size_t begin = npy_begin.size() + (version == 1 ? 4 : 6);
  const std::size_t low = byte(8) + 256u * byte(9);
  const std::size_t size = version == 1 ? low : low + 65536u * (byte(10) + 256u * byte(11));
  if (version < 1 || version > 3 || begin > text.size() || size > text.size() - begin)
    refuse(file, "begins as NumPy's files do and has no such header", "write it with numpy.save()");
  const std::string_view header = text.substr(begin, size);
  const std::string_view type = value_of(header, "'descr'");
  const bool is_number = type.size() > 3 && std::string_view("<|").find(type[1]) != type.npos &&
                         std::string_view("iufbc").find(type[2]) != type.npos;
  if (!is_number)
    refuse(file, joined("has elements of ", type.empty() ? "no type" : type),
           "write little-endian numbers, as numpy.save(file, array.astype('<i4'))");
  if (value_of(header, "'fortran_order'") != "False")
    refuse(file, "has its elements column by column",
           "write them as C has them, numpy.save(file, numpy.ascontiguousarray(array))");
  return begin + size;
}

}  // namespace

std::vector<std::uint8_t> data_of(const std::string& file) {
  std::ifstream from(file, std::ios::binary);
  std::string text;
  constexpr std::size_t piece = 1 << 20;
  while (from && text.size() <= most_data_bytes) {
    const std::size_t before = text.size();
    text.resize(before + piece);
    from.read(text.data() + before, piece);
    text.resize(before + static_cast<std::size_t>(from.gcount()));
  }
  if (text.size() > most_data_bytes)
    refuse(file, joined("has more than ", most_data_bytes, " bytes"),
           "give the part that the block reads");
  if (!from.eof())
    refuse(file, "cannot be read",
           "name a file with the bytes of the array, or one of numpy.save()");
  const bool is_npy = text.compare(0, npy_begin.size(), npy_begin) == 0;
  const std::size_t begin = is_npy ? header_of(file, text) : 0;
  return {text.begin() + static_cast<std::ptrdiff_t>(begin), text.end()};
}

}  // namespace compiled
