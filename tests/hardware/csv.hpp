// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_HARDWARE_CSV_HPP
#define BANKMODEL_TESTS_HARDWARE_CSV_HPP

#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// Reads lines of comma-separated values, and reports errors in them.
namespace hardware {

// The reason why a file cannot be read, with its line and what to do.
struct file_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] inline void refuse(const std::string& file, int line, const std::string& message) {
  throw file_error(file + (line > 0 ? ":" + std::to_string(line) : "") + ": " + message);
}

// Not named `quoted`: for a std::string that name is std::quoted's too where <iomanip> is included.
inline std::string csv_field(std::string_view field) {
  if (field.find_first_of(",\"") == std::string_view::npos) return std::string(field);
  std::string result = "\"";
  for (const char c : field) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

// The fields of a line. Quotes enclose a whole field and are doubled within it.
inline std::vector<std::string> fields_of(std::string_view text, const std::string& file,
                                          int line) {
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  std::vector<std::string> fields(1);
  for (std::size_t position = 0; position < text.size(); ++position) {
    if (text[position] == ',') {
      fields.emplace_back();
    } else if (text[position] != '"') {
      fields.back() += text[position];
    } else {
      if (position > 0 && text[position - 1] != ',')
        refuse(file, line,
               "a quote within a field; write the field in quotes and double those within");
      for (++position;
           position < text.size() &&
           (text[position] != '"' || (position + 1 < text.size() && text[position + 1] == '"'));
           ++position) {
        if (text[position] == '"') ++position;
        fields.back() += text[position];
      }
      if (position == text.size())
        refuse(file, line,
               "a field's closing quote is missing; the line is cut off or broken in two");
      if (position + 1 < text.size() && text[position + 1] != ',')
        refuse(file, line, "a comma is missing after a closing quote");
    }
  }
  return fields;
}

// Reads all of `text` as a number; false if it is not one.
template <class Number>
bool to_number(std::string_view text, Number& number, int base) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc() && end == text.data() + text.size();
}
inline bool to_number(std::string_view text, double& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

inline std::string hex(std::uint64_t value, int digits) {
  std::string result(static_cast<std::size_t>(digits), '0');
  for (std::size_t digit = result.size(); digit-- > 0; value >>= 4)
    result[digit] = "0123456789abcdef"[value & 15];
  return result;
}

}  // namespace hardware

#endif
