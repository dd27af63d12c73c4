// SPDX-License-Identifier: MIT
#include "syntax_colours.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "../../common_names.hpp"
#include "../../html.hpp"

namespace compiled {

namespace {

// In ascending order.
constexpr std::string_view words_of_the_language[] = {
    "__constant__", "__device__", "__forceinline__",
    "__global__",   "__host__",   "__launch_bounds__",
    "__restrict__", "__shared__", "__syncthreads",
    "__syncwarp",   "alignas",    "atomic",
    "auto",         "block",      "blockDim",
    "blockIdx",     "bool",       "break",
    "case",         "char",       "class",
    "const",        "constexpr",  "continue",
    "default",      "define",     "do",
    "double",       "else",       "enum",
    "extern",       "false",      "float",
    "float2",       "float4",     "for",
    "global",       "grid",       "gridDim",
    "half",         "if",         "inline",
    "int",          "load",       "long",
    "machine",      "namespace",  "return",
    "shared",       "short",      "signed",
    "sizeof",       "static",     "store",
    "struct",       "switch",     "template",
    "threadIdx",    "true",       "typedef",
    "typename",     "union",      "unsigned",
    "using",        "void",       "volatile",
    "warpSize",     "while"};

bool is_numeral(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }
bool is_word_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

// Reads line after line: a comment may go on in the next one.
class coloured_lines {
 public:
  std::string coloured(std::string_view line) {
    line_ = line;
    offset_ = 0;
    result_.clear();
    const std::size_t first = line.find_first_not_of(" \t");
    if (!in_comment_ && first != std::string_view::npos && line[first] == '#') {
      // Of a preprocessor line its comment has its own colour.
      offset_ = first + 1;
      while (offset_ < line.size() &&
             (line[offset_] == ' ' || std::isalpha(static_cast<unsigned char>(line[offset_])) != 0))
        ++offset_;
      result_ = joined(command_line::escaped(line.substr(0, first)));
      add("p", line.substr(first, offset_ - first));
    }
    while (offset_ < line.size()) step();
    return std::move(result_);
  }

 private:
  bool follows(std::string_view prefix) const {
    return line_.substr(offset_, prefix.size()) == prefix;
  }

  void add(const char* name, std::string_view text) {
    result_ += joined("<span class=\"", name, "\">", command_line::escaped(text), "</span>");
  }
  // The text from here to `end` with this class.
  void take(const char* name, std::size_t end) {
    end = std::min(end, line_.size());
    add(name, line_.substr(offset_, end - offset_));
    offset_ = end;
  }

  void step() {
    const char letter = line_[offset_];
    const bool begins = offset_ == 0 || !is_word_letter(line_[offset_ - 1]);
    if (in_comment_ || follows("/*"))
      take_comment();
    else if (follows("//"))
      take("c", line_.size());
    else if (letter == '"' || (letter == '\'' && begins))
      take("v", end_of_literal(letter));
    else if (begins && is_numeral(letter))
      take("v", end_of_word());
    else if (begins && is_word_letter(letter))
      take_word();
    else
      take_plain();
  }
  void take_comment() {
    const std::size_t end = line_.find("*/", in_comment_ ? offset_ : offset_ + 2);
    in_comment_ = end == std::string_view::npos;
    take("c", in_comment_ ? line_.size() : end + 2);
  }
  std::size_t end_of_literal(char quote) const {
    std::size_t end = offset_ + 1;
    while (end < line_.size() && line_[end] != quote) end += line_[end] == '\\' ? 2 : 1;
    return end + 1;
  }
  std::size_t end_of_word() const {
    std::size_t end = offset_;
    while (end < line_.size() && (is_word_letter(line_[end]) || line_[end] == '.')) ++end;
    return end;
  }
  void take_word() {
    std::size_t end = offset_;
    while (end < line_.size() && is_word_letter(line_[end])) ++end;
    const std::string_view word = line_.substr(offset_, end - offset_);
    if (std::ranges::binary_search(words_of_the_language, word)) return take("w", end);
    result_ += word;
    offset_ = end;
  }
  // Escaped as a whole: a character may have several bytes.
  void take_plain() {
    std::size_t end = offset_ + 1;
    while (end < line_.size() && !is_word_letter(line_[end]) && line_[end] != '"' &&
           line_[end] != '\'' && line_[end] != '/')
      ++end;
    result_ += command_line::escaped(line_.substr(offset_, end - offset_));
    offset_ = end;
  }

  std::string_view line_;
  std::size_t offset_ = 0;
  bool in_comment_ = false;
  std::string result_;
};

}  // namespace

std::vector<std::string> with_syntax_colours(const std::vector<std::string>& lines) {
  coloured_lines colours;
  std::vector<std::string> result;
  result.reserve(lines.size());
  for (const std::string& line : lines) result.push_back(colours.coloured(line));
  return result;
}

}  // namespace compiled
