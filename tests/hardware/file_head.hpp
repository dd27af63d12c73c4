// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_HARDWARE_FILE_HEAD_HPP
#define BANKMODEL_TESTS_HARDWARE_FILE_HEAD_HPP

#include "csv.hpp"

#include <istream>
#include <ostream>

// The lines that every file of measurements begins with: the device, its software, and how it was
// measured.
namespace hardware {

constexpr std::uint64_t first_seed = 20140101;  // of all patterns

struct file_head {
  std::string device, driver, toolkit, command, date;
  int major = 0, minor = 0;  // compute capability
  std::uint64_t seed = first_seed;
};

inline std::string in_one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return text;
}

// `format`: the first line. `rows`: how many follow the line of columns; `row_name`: their name.
inline void write_head(std::ostream& output, const file_head& head, const char* format,
                       const char* row_name, std::size_t rows, const char* columns) {
  output << format << "\n# device: " << in_one_line(head.device)
         << "\n# compute capability: " << head.major << '.' << head.minor
         << "\n# driver: " << in_one_line(head.driver)
         << "\n# toolkit: " << in_one_line(head.toolkit)
         << "\n# command: " << in_one_line(head.command) << "\n# date: " << in_one_line(head.date)
         << "\n# seed: " << head.seed << "\n# " << row_name << ": " << rows << '\n'
         << columns << '\n';
}

// Reads a file line by line: its head, then rows of comma-separated values.
class line_reader {
 public:
  line_reader(std::istream& stream, std::string file) : stream_(stream), file_(std::move(file)) {}

  const std::string& text() const { return text_; }

  bool next() {
    if (!std::getline(stream_, text_)) return false;
    if (!text_.empty() && text_.back() == '\r') text_.pop_back();
    ++line_;
    return true;
  }

  [[noreturn]] void refuse_line(const std::string& message, int lines_before = 0) const {
    refuse(file_, line_ - lines_before, message);
  }

  file_head head(const char* format, const char* row_name, const char* columns) {
    if (!next() || text_ != format)
      refuse_line(std::string("does not begin with \"") + format +
                  "\"; it is not a measured file, or of another version: measure again");
    file_head result;
    result.device = head_line("device");
    capability(result, head_line("compute capability"));
    result.driver = head_line("driver");
    result.toolkit = head_line("toolkit");
    result.command = head_line("command");
    result.date = head_line("date");
    const std::string seed = head_line("seed"), count = head_line(row_name);
    if (!to_number(seed, result.seed, 10)) refuse_line("seed \"" + seed + "\" is not a number", 1);
    if (!to_number(count, rows_, 10))
      refuse_line(std::string("number of ") + row_name + " \"" + count + "\" is not a number");
    if (!next() || text_ != columns) refuse_line(std::string("the columns must be ") + columns);
    return result;
  }

  // The fields of the line that next() read.
  std::vector<std::string> fields(std::size_t count) const {
    std::vector<std::string> result = fields_of(text_, file_, line_);
    if (result.size() != count)
      refuse_line("has " + std::to_string(result.size()) + " fields instead of " +
                  std::to_string(count));
    return result;
  }

  // At the end. Error: other than the number of rows in the head.
  void require_rows(std::size_t read) const {
    if (read != rows_)
      refuse_line("has " + std::to_string(read) + " rows, but its head states " +
                  std::to_string(rows_) + "; it is cut off: copy it again");
  }

 private:
  std::string head_line(const std::string& name) {
    const std::string start = "# " + name + ": ";
    if (!next() || text_.compare(0, start.size(), start) != 0)
      refuse_line("expected \"" + start + "...\"; do not edit the head");
    return text_.substr(start.size());
  }

  void capability(file_head& head, const std::string& text) const {
    const std::size_t dot = text.find('.');
    if (dot == std::string::npos ||
        !to_number(std::string_view(text).substr(0, dot), head.major, 10) ||
        !to_number(std::string_view(text).substr(dot + 1), head.minor, 10) || head.major < 1 ||
        head.minor < 0 || head.minor > 9)
      refuse_line("compute capability \"" + text + "\"; write it as 9.0");
  }

  std::istream& stream_;
  std::string file_, text_;
  int line_ = 0;
  std::size_t rows_ = 0;
};

}  // namespace hardware

#endif
