// SPDX-License-Identifier: MIT
#include "token.hpp"

#include <algorithm>
#include <cstdio>

namespace command_line {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

int digit_of(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

constexpr std::string_view symbols[] = {
    "<<=", ">>=", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++",
    "--",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", "::", "+",  "-",
    "*",   "/",   "%",  "<",  ">",  "=",  "!",  "~",  "&",  "|",  "^",  "(",
    ")",   "[",   "]",  "{",  "}",  ",",  ";",  ".",  "?",  ":"};

class reader {
 public:
  explicit reader(const source& of) : text_(of.text) {}

  std::vector<token> run() {
    if (follows("\xef\xbb\xbf")) at_ += 3;  // the byte order mark of UTF-8
    while (skip_blanks_and_comments(), at_ < text_.size()) result_.push_back(next());
    result_.push_back({token_kind::end, {}, {text_.size(), 0}, 0, true});
    return std::move(result_);
  }

 private:
  bool follows(std::string_view what) const { return text_.substr(at_, what.size()) == what; }
  char here(std::size_t further = 0) const {
    return at_ + further < text_.size() ? text_[at_ + further] : '\0';
  }

  void skip_blanks_and_comments() {
    while (at_ < text_.size()) {
      if (const std::size_t bytes = continued(at_)) {
        at_ += bytes;
      } else if (is_blank(here())) {
        first_of_line_ = first_of_line_ || here() == '\n';
        ++at_;
      } else if (follows("/*")) {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos)
          throw refusal{{at_, 2}, "a comment that is not closed", "close it with */"};
        first_of_line_ =
            first_of_line_ || text_.substr(at_, end - at_).find('\n') != std::string_view::npos;
        at_ = end + 2;
      } else if (follows("//") || (here() == '#' && !is_directive())) {
        at_ = end_of_comment();
      } else {
        return;
      }
    }
  }

  // The bytes of a backslash and the end of its line, which C takes out: the next line belongs to
  // this one. 0: this is none.
  std::size_t continued(std::size_t at) const {
    if (at >= text_.size() || text_[at] != '\\') return 0;
    const std::string_view rest = text_.substr(at + 1, 2);
    return rest.substr(0, 1) == "\n" ? 2 : rest == "\r\n" ? 3 : 0;
  }

  std::size_t end_of_comment() const {
    std::size_t at = at_;
    while (at < text_.size() && text_[at] != '\n') at += std::max<std::size_t>(continued(at), 1);
    return std::min(at, text_.size());
  }

  // Only #define of C's preprocessor is supported; conditional lines must not be read as
  // comments.
  bool is_directive() const {
    if (!first_of_line_) return false;
    std::size_t begin = at_ + 1;
    while (begin < text_.size() && (text_[begin] == ' ' || text_[begin] == '\t')) ++begin;
    std::size_t end = begin;
    while (end < text_.size() && is_letter(text_[end])) ++end;
    const std::string_view word = text_.substr(begin, end - begin);
    const bool blank = begin != at_ + 1;
    for (const std::string_view other :
         {"if", "ifdef", "ifndef", "elif", "else", "endif", "undef", "define"})
      if (word == other && (blank || word != "define"))
        throw refusal{{at_, end - at_},
                      joined("unsupported preprocessor line `", text_.substr(at_, end - at_), "`"),
                      word == "define"
                          ? "write #define, or // before a comment"
                          : "remove the lines that are not compiled, or write // before a comment"};
    return word == "define";
  }

  token next() {
    const std::size_t first = at_;
    token_kind kind = token_kind::name;
    long long value = 0;
    if (here() == '#') {
      at_ += 7;
      return finished({kind, "define", {first, 7}, 0, true});
    }
    if (is_letter(here())) {
      while (is_letter(here()) || is_digit(here())) ++at_;
    } else if (is_digit(here()) || (here() == '.' && is_digit(here(1)))) {
      kind = number(value);
    } else if (here() == '"' && quoted_bytes() != 0) {
      kind = token_kind::real;  // a value that is no subscript
      at_ += quoted_bytes();
    } else {
      kind = token_kind::symbol;
      at_ += symbol();
    }
    return finished(
        {kind, text_.substr(first, at_ - first), {first, at_ - first}, value, first_of_line_});
  }

  token finished(const token& one) {
    first_of_line_ = false;
    return one;
  }

  // Of "text" on one line, with its quotes; 0 if it is not closed.
  std::size_t quoted_bytes() const {
    std::size_t at = at_ + 1;
    while (at < text_.size() && text_[at] != '"' && text_[at] != '\n')
      at += text_[at] == '\\' ? 2 : 1;
    return at < text_.size() && text_[at] == '"' ? at + 1 - at_ : 0;
  }

  std::size_t symbol() const {
    for (const std::string_view one : symbols)
      if (follows(one)) return one.size();
    const auto byte = static_cast<unsigned char>(here());
    std::size_t bytes = 1;  // of the character
    while (byte >= 0xc0 && bytes < 4 && (static_cast<unsigned char>(here(bytes)) & 0xc0) == 0x80)
      ++bytes;
    char code[8];
    std::snprintf(code, sizeof code, "0x%02x", static_cast<unsigned>(byte));
    const bool printable = byte > 0x20 && byte < 0x7f;
    throw refusal{
        {at_, bytes},
        joined("unexpected character: ", printable ? text_.substr(at_, 1) : std::string_view(code)),
        "outside comments use letters, digits, blanks and the operators of C"};
  }

  // A number with all letters and digits that follow it, as C reads it.
  token_kind number(long long& value) {
    const std::size_t first = at_;
    const bool prefixed =
        here() == '0' && (here(1) == 'x' || here(1) == 'X' || here(1) == 'b' || here(1) == 'B');
    bool real = false;
    for (; is_letter(here()) || is_digit(here()) || here() == '.'; ++at_) {
      real = real || here() == '.' || (!prefixed && (here() == 'e' || here() == 'E'));
      if (!prefixed && (here() == 'e' || here() == 'E') && (here(1) == '+' || here(1) == '-'))
        ++at_;
    }
    const std::string_view all = text_.substr(first, at_ - first);
    if (real) {
      require_real(all, first);
      return token_kind::real;
    }

    const int base = !prefixed                        ? (all.size() > 1 && all[0] == '0' ? 8 : 10)
                     : all[1] == 'x' || all[1] == 'X' ? 16
                                                      : 2;
    std::size_t at = prefixed ? 2 : 0;
    const std::size_t digits = at;
    for (; at < all.size() && digit_of(all[at]) < base; ++at)
      if (__builtin_mul_overflow(value, static_cast<long long>(base), &value) ||
          __builtin_add_overflow(value, static_cast<long long>(digit_of(all[at])), &value))
        throw refusal{{first, all.size()},
                      joined("the number ", all.substr(0, 40), " does not fit in 63 bits"),
                      "use a smaller one"};
    if (!prefixed && at < all.size() && (all.substr(at) == "f" || all.substr(at) == "F"))
      return token_kind::real;
    const bool bad_suffix =
        all.size() - at > 3 || all.find_first_not_of("uUlL", at) != std::string_view::npos;
    if (at == digits || bad_suffix)
      throw refusal{{first, all.size()},
                    joined(all.substr(0, 40), " is not a number"),
                    "write numbers as in C (12, 0x1f, 017), and names beginning with a letter"};
    return token_kind::number;
  }

  static void require_real(std::string_view all, std::size_t first) {
    std::size_t at = 0, points = 0;
    while (at < all.size() && (is_digit(all[at]) || all[at] == '.'))
      points += all[at++] == '.' ? 1 : 0;
    if (at < all.size() && (all[at] == 'e' || all[at] == 'E')) {
      if (++at < all.size() && (all[at] == '+' || all[at] == '-')) ++at;
      const std::size_t exponent = at;
      while (at < all.size() && is_digit(all[at])) ++at;
      if (at == exponent) points = 2;
    }
    if (at < all.size() && (all[at] == 'f' || all[at] == 'F' || all[at] == 'l' || all[at] == 'L'))
      ++at;
    if (points > 1 || at != all.size())
      throw refusal{{first, all.size()},
                    joined(all.substr(0, 40), " is not a number"),
                    "write numbers as in C"};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool first_of_line_ = true;
  std::vector<token> result_;
};

}  // namespace

std::vector<token> tokens_of(const source& of) { return reader(of).run(); }

}  // namespace command_line
