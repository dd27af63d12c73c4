// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_PROFILE_DETAIL_ROWS_HPP
#define BANKMODEL_HOST_PROFILE_DETAIL_ROWS_HPP

#include <bankmodel/core/error.hpp>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// Reads the rows of a CSV file as profilers print it.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void quotes_of_a_profile_must_be_closed(long long row) {
  detail::fail(__func__,
               "unterminated quote on line % of the profile; the file is truncated, export it "
               "again",
               row);
}
[[noreturn]] BANKMODEL_FN void rows_of_a_profile_must_have_all_columns(long long row,
                                                                       long long fields,
                                                                       long long columns) {
  detail::fail(__func__,
               "line % of the profile has % values, but column % is needed; export the file "
               "again, or remove the output of other programs from it",
               row, fields, columns);
}
}  // namespace rule

namespace detail {

// One row: its values without quotes and surrounding blanks.
struct csv_row {
  long long line = 0;  // the number of its first line in the file, from 1
  std::vector<std::string> fields;

  // True if its first value is `text`.
  bool begins_with(std::string_view text) const { return !fields.empty() && fields[0] == text; }

  // The first column of this name at or after `first`, or -1.
  int column(std::string_view name, std::size_t first = 0) const {
    for (std::size_t position = first; position < fields.size(); ++position)
      if (fields[position] == name) return static_cast<int>(position);
    return -1;
  }
  // The column of the first of these names that the row has, or -1.
  int column_of_any(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names)
      if (const int match = column(name); match >= 0) return match;
    return -1;
  }

  const std::string& field(int column) const {
    if (static_cast<std::size_t>(column) >= fields.size())
      rule::rows_of_a_profile_must_have_all_columns(line, static_cast<long long>(fields.size()),
                                                    column + 1);
    return fields[static_cast<std::size_t>(column)];
  }
};

inline std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

// Collects the values of a row, line by line. A quote within quotes is written twice.
class fields_reader {
 public:
  void read(std::string_view line) {
    for (std::size_t index = 0; index < line.size(); ++index) {
      const char letter = line[index];
      if (letter == '"' && quoted_ && index + 1 < line.size() && line[index + 1] == '"') {
        field_ += '"';
        ++index;
      } else if (letter == '"') {
        quoted_ = !quoted_;
      } else if (letter == ',' && !quoted_) {
        end_field();
      } else {
        field_ += letter;
      }
    }
    if (quoted_) field_ += '\n';
  }
  // True if the row continues on the next line.
  bool is_open() const { return quoted_; }

  // Returns all values and starts a new row.
  std::vector<std::string> fields() {
    end_field();
    return fields_;
  }

 private:
  void end_field() {
    fields_.emplace_back(without_blanks(field_));
    field_.clear();
  }

  std::vector<std::string> fields_;
  std::string field_;
  bool quoted_ = false;
};

// Returns the next line without its newline.
inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

// Returns all rows except empty lines and lines that begin with "==", which profilers print in
// between. From the first row for which `is_header` is true, a value in quotes may contain
// newlines. Before it, text is whatever a program printed, and an odd quote has no meaning. A
// byte order mark at the start is skipped.
template <class IsHeader>
std::vector<csv_row> rows_of(std::string_view text, const IsHeader& is_header) {
  std::vector<csv_row> result;
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  bool in_table = false;
  for (long long number = 1; !text.empty(); ++number) {
    csv_row row{number, {}};
    fields_reader reader;
    reader.read(take_line(text));
    for (; reader.is_open() && in_table; ++number) {
      if (text.empty()) rule::quotes_of_a_profile_must_be_closed(row.line);
      reader.read(take_line(text));
    }
    row.fields = reader.fields();
    const bool is_empty = row.fields.size() == 1 && row.fields[0].empty();
    if (is_empty || row.fields[0].substr(0, 2) == "==") continue;
    in_table = in_table || is_header(row);
    result.push_back(row);
  }
  return result;
}

}  // namespace detail
}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
