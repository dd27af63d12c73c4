// SPDX-License-Identifier: MIT
#include "data_file.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string_view>

#include "../common_names.hpp"
#include "../npy_header.hpp"

namespace compiled {

namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& wrong,
                         const std::string& right) {
  throw input_error(joined("--data: ", file, " ", wrong), right);
}

// Reads the type of the elements; returns the number of bytes before them.
std::size_t read_header(const std::string& file, std::string_view text, file_data& result) {
  const command_line::npy_header header = command_line::npy_header_of(text);
  if (!header.is_known)
    refuse(file, "begins as NumPy's files do and has no such header", "write it with numpy.save()");
  const std::string_view type = header.type;
  const bool is_number = type.size() > 3 && std::string_view("<|").find(type[1]) != type.npos &&
                         std::string_view("iufbc").find(type[2]) != type.npos;
  if (!is_number)
    refuse(file, joined("has elements of ", type.empty() ? "no type" : type),
           "write little-endian numbers, as numpy.save(file, array.astype('<i4'))");
  if (!header.is_in_order_of_c)
    refuse(file, "has its elements column by column",
           "write them as C has them, numpy.save(file, numpy.ascontiguousarray(array))");
  result.kind = type[2];
  const std::string_view digits = type.substr(3, type.find_first_not_of("0123456789", 3) - 3);
  std::from_chars(digits.data(), digits.data() + digits.size(), result.element_bytes);
  return header.end;
}

struct number_type {
  std::string_view names;  // each between bars
  char kind;
  int bytes;
};
// Types of C++ on GPUs, and the names that <cstdint> and CUDA have for them.
constexpr number_type number_types[] = {
    {"|float|", 'f', 4},
    {"|double|", 'f', 8},
    {"|half|__half|", 'f', 2},
    {"|bool|char|signed char|unsigned char|uchar|int8_t|uint8_t|", 'i', 1},
    {"|short|unsigned short|ushort|int16_t|uint16_t|", 'i', 2},
    {"|int|unsigned int|unsigned|uint|int32_t|uint32_t|", 'i', 4},
    {"|long|unsigned long|long long|unsigned long long|size_t|int64_t|uint64_t|", 'i', 8}};

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
  file_data result;
  const std::size_t begin = command_line::is_npy(text) ? read_header(file, text, result) : 0;
  result.bytes.assign(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end());
  return result;
}

void require_elements(const file_data& data, const std::string& type, const std::string& name,
                      const std::string& file) {
  std::string_view plain = type;
  for (const std::string_view word : {"const ", "volatile "})
    if (plain.substr(0, word.size()) == word) plain.remove_prefix(word.size());
  const auto* const known_type = std::ranges::find_if(number_types, [&](const auto& candidate) {
    return candidate.names.find(joined("|", plain, "|")) != plain.npos;
  });
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
