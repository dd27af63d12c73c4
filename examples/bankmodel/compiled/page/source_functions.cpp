// SPDX-License-Identifier: MIT
#include "source_functions.hpp"

#include <algorithm>
#include <cctype>

namespace compiled {

namespace {

class function_finder {
 public:
  explicit function_finder(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) text_ += line + "\n";
  }

  std::vector<line_range> find() {
    while (offset_ < text_.size()) step();
    return std::move(functions_);
  }

 private:
  struct open_brace {
    bool is_function = false;
    int first = 0;  // the line on which its head begins
  };

  bool follows(const char* word) const {
    return text_.compare(offset_, std::char_traits<char>::length(word), word) == 0;
  }

  // Moves to `target`, or to the end.
  void pass(std::size_t target) {
    for (target = std::min(target, text_.size()); offset_ < target; ++offset_)
      line_ += text_[offset_] == '\n' ? 1 : 0;
  }

  void step() {
    const char letter = text_[offset_];
    if (follows("//"))
      pass(text_.find('\n', offset_));
    else if (follows("/*"))
      pass_after("*/", offset_ + 2);
    else if (follows("R\"") && !continues_a_name())
      pass_after(")" + text_.substr(offset_ + 2, text_.find('(', offset_) - offset_ - 2) + "\"",
                 offset_ + 2);
    else if (letter == '"' || (letter == '\'' && !continues_a_name()))
      pass_literal(letter);
    else if (letter == '#')
      pass_directive();
    else
      code(letter);
  }

  // True after a letter or a digit: of a name that ends in R, or of 1'000.
  bool continues_a_name() const {
    return offset_ > 0 && std::isalnum(static_cast<unsigned char>(text_[offset_ - 1])) != 0;
  }

  void pass_after(const std::string& end, std::size_t start) {
    const std::size_t position = text_.find(end, start);
    pass(position == std::string::npos ? position : position + end.size());
  }

  // A literal ends with its line, so that an apostrophe in a comment of an assembler does no harm.
  void pass_literal(char quote) {
    std::size_t end = offset_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n')
      end += text_[end] == '\\' ? 2 : 1;
    pass(end + 1);
  }

  // Each arm of #if begins with the braces that were open before it.
  void pass_directive() {
    std::size_t name = offset_ + 1;
    while (name < text_.size() && (text_[name] == ' ' || text_[name] == '\t')) ++name;
    const auto is = [&](const char* word) {
      return text_.compare(name, std::char_traits<char>::length(word), word) == 0;
    };
    if (is("if")) arms_.push_back(open_);
    if (is("el") && !arms_.empty()) open_ = arms_.back();
    if (is("endif") && !arms_.empty()) arms_.pop_back();
    std::size_t end = text_.find('\n', offset_);
    while (end != std::string::npos && text_[end - 1] == '\\') end = text_.find('\n', end + 1);
    pass(end);
    begin_head();
  }

  void code(char letter) {
    if (letter == '{')
      open();
    else if (letter == '}')
      close();
    else if (letter == ';' && parentheses_ == 0)
      begin_head();
    else if (std::isspace(static_cast<unsigned char>(letter)) == 0 && head_ == 0)
      head_ = line_;
    if (letter == '(') has_parenthesis_ = true, ++parentheses_;
    if (letter == ')' && parentheses_ > 0) --parentheses_;
    pass(offset_ + 1);
  }

  void begin_head() { head_ = 0, parentheses_ = 0, has_parenthesis_ = false; }

  bool in_function() const {
    for (const open_brace& brace : open_)
      if (brace.is_function) return true;
    return false;
  }

  void open() {
    open_.push_back({has_parenthesis_ && !in_function(), head_ == 0 ? line_ : head_});
    begin_head();
  }

  void close() {
    if (!open_.empty()) {
      const open_brace last = open_.back();
      open_.pop_back();
      if (last.is_function) functions_.push_back({last.first, line_});
    }
    begin_head();
  }

  std::string text_;
  std::size_t offset_ = 0;
  int line_ = 1;
  int head_ = 0, parentheses_ = 0;  // the first line of what is before the next brace, or 0
  bool has_parenthesis_ = false;
  std::vector<open_brace> open_;
  std::vector<std::vector<open_brace>> arms_;
  std::vector<line_range> functions_;
};

}  // namespace

std::vector<line_range> functions_of(const std::vector<std::string>& lines) {
  return function_finder(lines).find();
}

}  // namespace compiled
