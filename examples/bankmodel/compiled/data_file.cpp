// SPDX-License-Identifier: MIT
#include "data_file.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
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
  const std::size_t position = header.find(key);
  const std::size_t colon =
      position == header.npos ? position : header.find(':', position + key.size());
  const std::size_t begin = colon == header.npos ? colon : header.find_first_not_of(' ', colon + 1);
  if (begin == header.npos) return {};
  return header.substr(begin, header.find_first_of(",}", begin) - begin);
}

// Reads the type of the elements; returns the number of bytes before them.
std::size_t read_header(const std::string& file, std::string_view text, file_data& result) {
  const auto byte = [&](std::size_t offset) {
    return offset < text.size() ? static_cast<unsigned char>(text[offset]) : 0u;
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
  result.kind = type[2];
  const std::string_view digits = type.substr(3, type.find_first_not_of("0123456789", 3) - 3);
  std::from_chars(digits.data(), digits.data() + digits.size(), result.element_bytes);
  return begin + size;
}

struct number_type {
  std::string_view name;
  char kind;
  int bytes;
};
// Types of C++ on GPUs, and the names that <cstdint> and CUDA have for them.
constexpr number_type number_types[] = {
    {"float", 'f', 4},
    {"double", 'f', 8},
    {"half", 'f', 2},
    {"__half", 'f', 2},
    {"bool", 'i', 1},
    {"char", 'i', 1},
    {"signed char", 'i', 1},
    {"unsigned char", 'i', 1},
    {"uchar", 'i', 1},
    {"short", 'i', 2},
    {"unsigned short", 'i', 2},
    {"ushort", 'i', 2},
    {"int", 'i', 4},
    {"unsigned int", 'i', 4},
    {"unsigned", 'i', 4},
    {"uint", 'i', 4},
    {"long", 'i', 8},
    {"unsigned long", 'i', 8},
    {"long long", 'i', 8},
    {"unsigned long long", 'i', 8},
    {"size_t", 'i', 8},
    {"int8_t", 'i', 1},
    {"uint8_t", 'i', 1},
    {"int16_t", 'i', 2},
    {"uint16_t", 'i', 2},
    {"int32_t", 'i', 4},
    {"uint32_t", 'i', 4},
    {"int64_t", 'i', 8},
    {"uint64_t", 'i', 8},
};

}  // namespace

file_data data_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text;
  constexpr std::size_t piece = 1 << 20;
  while (stream && text.size() <= most_data_bytes) {
    const std::size_t size = text.size();
    text.resize(size + piece);
    stream.read(text.data() + size, piece);
    text.resize(size + static_cast<std::size_t>(stream.gcount()));
  }
  if (text.size() > most_data_bytes)
    refuse(file, joined("has more than ", most_data_bytes, " bytes"),
           "give the part that the block reads");
  if (!stream.eof())
    refuse(file, "cannot be read",
           "name a file with the bytes of the array, or one of numpy.save()");
  const bool is_npy = text.compare(0, npy_begin.size(), npy_begin) == 0;
  file_data result;
  const std::size_t begin = is_npy ? read_header(file, text, result) : 0;
  result.bytes.assign(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end());
  return result;
}

void require_elements(const file_data& data, const std::string& type, const std::string& name,
                      const std::string& file) {
  std::string_view plain = type;
  for (const std::string_view word : {"const ", "volatile "})
    if (plain.substr(0, word.size()) == word) plain.remove_prefix(word.size());
  const auto* const known_type =
      std::find_if(std::begin(number_types), std::end(number_types),
                   [&](const number_type& candidate) { return candidate.name == plain; });
  if (data.kind == 0 || known_type == std::end(number_types)) return;
  const char kind = data.kind == 'u' || data.kind == 'b' ? 'i' : data.kind;
  if (kind != known_type->kind || data.element_bytes != known_type->bytes)
    refuse(file,
           joined("has elements of type ", std::string(1, data.kind), data.element_bytes, ", and ",
                  name, " has elements of type ", plain),
           joined("save it as numpy.save(file, array.astype('<", std::string(1, known_type->kind),
                  known_type->bytes, "'))"));
}

}  // namespace compiled
