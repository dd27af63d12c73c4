// SPDX-License-Identifier: MIT
#include "ptx_token.hpp"

#include <bit>
#include <cctype>
#include <cstdlib>

namespace compiled {

namespace {

bool begins_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' ||
         c == '.';
}
bool continues_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '.' ||
         c == '%';
}
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

class lexer {
 public:
  explicit lexer(std::string_view text) : text_(text) {}

  std::vector<ptx_token> all() {
    std::vector<ptx_token> result;
    do result.push_back(next());
    while (result.back().kind != ptx_kind::end);
    return result;
  }

 private:
  char at(std::size_t ahead = 0) const {
    return now_ + ahead < text_.size() ? text_[now_ + ahead] : '\0';
  }
  bool is_at(std::string_view what) const { return text_.substr(now_, what.size()) == what; }

  void skip() {
    while (now_ < text_.size()) {
      if (at() == '\n') {
        ++line_;
        line_begin_ = ++now_;
      } else if (std::isspace(static_cast<unsigned char>(at())) != 0 || at() == '\0') {
        ++now_;
      } else if (is_at("//")) {
        while (now_ < text_.size() && at() != '\n') ++now_;
      } else if (is_at("/*")) {
        const int first = line_;
        while (now_ < text_.size() && !is_at("*/")) {
          if (at() == '\n') {
            ++line_;
            line_begin_ = now_ + 1;
          }
          ++now_;
        }
        if (now_ >= text_.size())
          throw ptx_error(first, "a comment that does not end", "the file is truncated");
        now_ += 2;
      } else {
        return;
      }
    }
  }

  ptx_token next() {
    skip();
    ptx_token made;
    made.line = line_;
    made.column = static_cast<int>(now_ - line_begin_) + 1;
    if (now_ >= text_.size()) return made;
    const std::size_t first = now_;
    if (is_digit(at()) || (at() == '.' && is_digit(at(1)))) {
      read_number(made);
    } else if (begins_word(at())) {
      made.kind = ptx_kind::word;
      // Directives need no blank between them: .reg.b16. The dots of an instruction are its own.
      const bool is_directive = at() == '.';
      const auto goes_on = [&](std::size_t ahead) {
        return continues_word(at(ahead)) &&
               !(is_directive && (at(ahead) == '.' || at(ahead) == '%'));
      };
      ++now_;
      while (goes_on(0) || (is_at("::") && goes_on(2))) now_ += is_at("::") ? 2 : 1;
    } else if (at() == '"') {
      const std::size_t end = text_.find('"', now_ + 1);
      if (end == std::string_view::npos)
        throw ptx_error(line_, "a string that does not end", "the file is truncated");
      made.kind = ptx_kind::string;
      made.text = text_.substr(now_ + 1, end - now_ - 1);
      now_ = end + 1;
      return made;
    } else if (std::string_view("{}()[],;:|@!+-=<>*~&^/?").find(at()) != std::string_view::npos) {
      made.kind = ptx_kind::symbol;
      ++now_;
    } else {
      throw ptx_error(line_, "a character that PTX does not have", "give PTX text: nvcc -ptx");
    }
    made.text = text_.substr(first, now_ - first);
    return made;
  }

  // 12, 0x1F, 017, 0b11, 0f3F800000, 0d3FF0000000000000, 1.5e3
  void read_number(ptx_token& made) {
    made.kind = ptx_kind::number;
    const char type = at() == '0' ? static_cast<char>(std::tolower(at(1))) : '\0';
    if (type == 'f' || type == 'd' || type == 'x' || type == 'b') {
      now_ += 2;
      const int base = type == 'b' ? 2 : 16;
      if (type == 'f' || type == 'd') made.kind = ptx_kind::floating;
      for (; std::isxdigit(static_cast<unsigned char>(at())) != 0; ++now_) {
        const char digit = static_cast<char>(std::tolower(at()));
        const int worth = is_digit(digit) ? digit - '0' : digit - 'a' + 10;
        made.value = made.value * static_cast<unsigned>(base) + static_cast<unsigned>(worth);
      }
    } else {
      const std::size_t first = now_;
      while (is_digit(at())) ++now_;
      if (at() == '.' || at() == 'e' || at() == 'E') {
        ++now_;
        while (is_digit(at()) || at() == '-' || at() == '+' || at() == 'e' || at() == 'E') ++now_;
        made.kind = ptx_kind::floating;
        made.value = std::bit_cast<std::uint64_t>(
            std::strtod(std::string(text_.substr(first, now_ - first)).c_str(), nullptr));
      } else {
        const std::string digits(text_.substr(first, now_ - first));
        made.value = std::strtoull(digits.c_str(), nullptr, digits[0] == '0' ? 8 : 10);
      }
    }
    if (at() == 'U' || at() == 'u') ++now_;
  }

  std::string_view text_;
  std::size_t now_ = 0, line_begin_ = 0;
  int line_ = 1;
};

}  // namespace

std::vector<ptx_token> ptx_tokens(std::string_view text) { return lexer(text).all(); }

std::vector<std::string_view> dotted_parts(std::string_view name) {
  std::vector<std::string_view> result;
  while (!name.empty()) {
    const std::size_t end = name.find('.');
    if (end != 0) result.push_back(name.substr(0, end));
    if (end == std::string_view::npos) break;
    name.remove_prefix(end + 1);
  }
  return result;
}

}  // namespace compiled
