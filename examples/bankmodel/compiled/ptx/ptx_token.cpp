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

  std::vector<ptx_token> tokenize() {
    std::vector<ptx_token> result;
    do result.push_back(next());
    while (result.back().kind != ptx_kind::end);
    return result;
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return offset_ + ahead < text_.size() ? text_[offset_ + ahead] : '\0';
  }
  bool is_at(std::string_view symbol) const {
    return text_.substr(offset_, symbol.size()) == symbol;
  }

  void skip() {
    while (offset_ < text_.size()) {
      if (peek() == '\n') {
        ++line_;
        line_begin_ = ++offset_;
      } else if (std::isspace(static_cast<unsigned char>(peek())) != 0 || peek() == '\0') {
        ++offset_;
      } else if (is_at("//")) {
        while (offset_ < text_.size() && peek() != '\n') ++offset_;
      } else if (is_at("/*")) {
        const int first = line_;
        while (offset_ < text_.size() && !is_at("*/")) {
          if (peek() == '\n') {
            ++line_;
            line_begin_ = offset_ + 1;
          }
          ++offset_;
        }
        if (offset_ >= text_.size())
          throw ptx_error(first, "a comment that does not end", "the file is truncated");
        offset_ += 2;
      } else {
        return;
      }
    }
  }

  ptx_token next() {
    skip();
    ptx_token token;
    token.line = line_;
    token.column = static_cast<int>(offset_ - line_begin_) + 1;
    if (offset_ >= text_.size()) return token;
    const std::size_t first = offset_;
    if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) {
      read_number(token);
    } else if (begins_word(peek())) {
      token.kind = ptx_kind::word;
      // Directives need no blank between them: .reg.b16. The dots of an instruction are its own.
      const bool is_directive = peek() == '.';
      const auto goes_on = [&](std::size_t ahead) {
        return continues_word(peek(ahead)) &&
               !(is_directive && (peek(ahead) == '.' || peek(ahead) == '%'));
      };
      ++offset_;
      while (goes_on(0) || (is_at("::") && goes_on(2))) offset_ += is_at("::") ? 2 : 1;
    } else if (peek() == '"') {
      const std::size_t end = text_.find('"', offset_ + 1);
      if (end == std::string_view::npos)
        throw ptx_error(line_, "a string that does not end", "the file is truncated");
      token.kind = ptx_kind::string;
      token.text = text_.substr(offset_ + 1, end - offset_ - 1);
      offset_ = end + 1;
      return token;
    } else if (std::string_view("{}()[],;:|@!+-=<>*~&^/?").find(peek()) != std::string_view::npos) {
      token.kind = ptx_kind::symbol;
      ++offset_;
    } else {
      throw ptx_error(line_, "a character that PTX does not have", "give PTX text: nvcc -ptx");
    }
    token.text = text_.substr(first, offset_ - first);
    return token;
  }

  // 12, 0x1F, 017, 0b11, 0f3F800000, 0d3FF0000000000000, 1.5e3
  void read_number(ptx_token& token) {
    token.kind = ptx_kind::number;
    const char type = peek() == '0' ? static_cast<char>(std::tolower(peek(1))) : '\0';
    if (type == 'f' || type == 'd' || type == 'x' || type == 'b') {
      offset_ += 2;
      const int base = type == 'b' ? 2 : 16;
      if (type == 'f' || type == 'd') token.kind = ptx_kind::floating;
      for (; std::isxdigit(static_cast<unsigned char>(peek())) != 0; ++offset_) {
        const char digit = static_cast<char>(std::tolower(peek()));
        const int worth = is_digit(digit) ? digit - '0' : digit - 'a' + 10;
        token.value = token.value * static_cast<unsigned>(base) + static_cast<unsigned>(worth);
      }
    } else {
      const std::size_t first = offset_;
      while (is_digit(peek())) ++offset_;
      if (peek() == '.' || peek() == 'e' || peek() == 'E') {
        ++offset_;
        while (is_digit(peek()) || peek() == '-' || peek() == '+' || peek() == 'e' || peek() == 'E')
          ++offset_;
        token.kind = ptx_kind::floating;
        token.value = std::bit_cast<std::uint64_t>(
            std::strtod(std::string(text_.substr(first, offset_ - first)).c_str(), nullptr));
      } else {
        const std::string digits(text_.substr(first, offset_ - first));
        token.value = std::strtoull(digits.c_str(), nullptr, digits[0] == '0' ? 8 : 10);
      }
    }
    if (peek() == 'U' || peek() == 'u') ++offset_;
  }

  std::string_view text_;
  std::size_t offset_ = 0, line_begin_ = 0;
  int line_ = 1;
};

}  // namespace

std::vector<ptx_token> ptx_tokens(std::string_view text) { return lexer(text).tokenize(); }

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
