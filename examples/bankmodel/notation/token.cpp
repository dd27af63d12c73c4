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
  explicit reader(const source& input) : text_(input.text) {}

  std::vector<token> run() {
    if (follows("\xef\xbb\xbf")) offset_ += 3;  // the byte order mark of UTF-8
    while (skip_blanks_and_comments(), offset_ < text_.size()) result_.push_back(next());
    result_.push_back({token_kind::end, {}, {text_.size(), 0}, 0, true});
    return std::move(result_);
  }

 private:
  bool follows(std::string_view text) const { return text_.substr(offset_, text.size()) == text; }
  char peek(std::size_t offset = 0) const {
    return offset_ + offset < text_.size() ? text_[offset_ + offset] : '\0';
  }

  void skip_blanks_and_comments() {
    while (offset_ < text_.size()) {
      if (const std::size_t bytes = continued(offset_)) {
        offset_ += bytes;
      } else if (is_blank(peek())) {
        first_of_line_ = first_of_line_ || peek() == '\n';
        ++offset_;
      } else if (follows("/*")) {
        const std::size_t end = text_.find("*/", offset_ + 2);
        if (end == std::string_view::npos)
          throw refusal{{offset_, 2}, "a comment that is not closed", "close it with */"};
        first_of_line_ = first_of_line_ ||
                         text_.substr(offset_, end - offset_).find('\n') != std::string_view::npos;
        offset_ = end + 2;
      } else if (follows("//") || (peek() == '#' && !is_directive())) {
        offset_ = end_of_comment();
      } else {
        return;
      }
    }
  }

  // The bytes of a backslash and the end of its line, which C takes out: the next line belongs to
  // this one. 0: this is none.
  std::size_t continued(std::size_t position) const {
    if (position >= text_.size() || text_[position] != '\\') return 0;
    const std::string_view rest = text_.substr(position + 1, 2);
    return rest.substr(0, 1) == "\n" ? 2 : rest == "\r\n" ? 3 : 0;
  }

  std::size_t end_of_comment() const {
    std::size_t position = offset_;
    while (position < text_.size() && text_[position] != '\n')
      position += std::max<std::size_t>(continued(position), 1);
    return std::min(position, text_.size());
  }

  // Only #define of C's preprocessor is supported; conditional lines must not be read as
  // comments.
  bool is_directive() const {
    if (!first_of_line_) return false;
    std::size_t begin = offset_ + 1;
    while (begin < text_.size() && (text_[begin] == ' ' || text_[begin] == '\t')) ++begin;
    std::size_t end = begin;
    while (end < text_.size() && is_letter(text_[end])) ++end;
    const std::string_view word = text_.substr(begin, end - begin);
    const bool blank = begin != offset_ + 1;
    for (const std::string_view other :
         {"if", "ifdef", "ifndef", "elif", "else", "endif", "undef", "define"})
      if (word == other && (blank || word != "define"))
        throw refusal{
            {offset_, end - offset_},
            joined("unsupported preprocessor line `", text_.substr(offset_, end - offset_), "`"),
            word == "define"
                ? "write #define, or // before a comment"
                : "remove the lines that are not compiled, or write // before a comment"};
    return word == "define";
  }

  token next() {
    const std::size_t first = offset_;
    token_kind kind = token_kind::name;
    long long value = 0;
    if (peek() == '#') {
      offset_ += 7;
      return finished({kind, "define", {first, 7}, 0, true});
    }
    if (is_letter(peek())) {
      while (is_letter(peek()) || is_digit(peek())) ++offset_;
    } else if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) {
      kind = number(value);
    } else if (peek() == '"' && quoted_bytes() != 0) {
      kind = token_kind::real;  // a value that is no subscript
      offset_ += quoted_bytes();
    } else {
      kind = token_kind::symbol;
      offset_ += symbol();
    }
    return finished({kind,
                     text_.substr(first, offset_ - first),
                     {first, offset_ - first},
                     value,
                     first_of_line_});
  }

  token finished(const token& result) {
    first_of_line_ = false;
    return result;
  }

  // Of "text" on one line, with its quotes; 0 if it is not closed.
  std::size_t quoted_bytes() const {
    std::size_t position = offset_ + 1;
    while (position < text_.size() && text_[position] != '"' && text_[position] != '\n')
      position += text_[position] == '\\' ? 2 : 1;
    return position < text_.size() && text_[position] == '"' ? position + 1 - offset_ : 0;
  }

  std::size_t symbol() const {
    for (const std::string_view candidate : symbols)
      if (follows(candidate)) return candidate.size();
    const auto byte = static_cast<unsigned char>(peek());
    std::size_t bytes = 1;  // of the character
    while (byte >= 0xc0 && bytes < 4 && (static_cast<unsigned char>(peek(bytes)) & 0xc0) == 0x80)
      ++bytes;
    char code[8];
    std::snprintf(code, sizeof code, "0x%02x", static_cast<unsigned>(byte));
    const bool printable = byte > 0x20 && byte < 0x7f;
    throw refusal{{offset_, bytes},
                  joined("unexpected character: ",
                         printable ? text_.substr(offset_, 1) : std::string_view(code)),
                  "outside comments use letters, digits, blanks and the operators of C"};
  }

  // A number with all letters and digits that follow it, as C reads it.
  token_kind number(long long& value) {
    const std::size_t first = offset_;
    const bool prefixed =
        peek() == '0' && (peek(1) == 'x' || peek(1) == 'X' || peek(1) == 'b' || peek(1) == 'B');
    bool real = false;
    for (; is_letter(peek()) || is_digit(peek()) || peek() == '.'; ++offset_) {
      real = real || peek() == '.' || (!prefixed && (peek() == 'e' || peek() == 'E'));
      if (!prefixed && (peek() == 'e' || peek() == 'E') && (peek(1) == '+' || peek(1) == '-'))
        ++offset_;
    }
    const std::string_view spelling = text_.substr(first, offset_ - first);
    if (real) {
      require_real(spelling, first);
      return token_kind::real;
    }

    const int base = !prefixed ? (spelling.size() > 1 && spelling[0] == '0' ? 8 : 10)
                     : spelling[1] == 'x' || spelling[1] == 'X' ? 16
                                                                : 2;
    std::size_t position = prefixed ? 2 : 0;
    const std::size_t digits = position;
    for (; position < spelling.size() && digit_of(spelling[position]) < base; ++position)
      if (__builtin_mul_overflow(value, static_cast<long long>(base), &value) ||
          __builtin_add_overflow(value, static_cast<long long>(digit_of(spelling[position])),
                                 &value))
        throw refusal{{first, spelling.size()},
                      joined("the number ", spelling.substr(0, 40), " does not fit in 63 bits"),
                      "use a smaller one"};
    if (!prefixed && position < spelling.size() &&
        (spelling.substr(position) == "f" || spelling.substr(position) == "F"))
      return token_kind::real;
    const bool bad_suffix = spelling.size() - position > 3 ||
                            spelling.find_first_not_of("uUlL", position) != std::string_view::npos;
    if (position == digits || bad_suffix)
      throw refusal{{first, spelling.size()},
                    joined(spelling.substr(0, 40), " is not a number"),
                    "write numbers as in C (12, 0x1f, 017), and names beginning with a letter"};
    return token_kind::number;
  }

  static void require_real(std::string_view spelling, std::size_t first) {
    std::size_t position = 0, points = 0;
    while (position < spelling.size() &&
           (is_digit(spelling[position]) || spelling[position] == '.'))
      points += spelling[position++] == '.' ? 1 : 0;
    if (position < spelling.size() && (spelling[position] == 'e' || spelling[position] == 'E')) {
      if (++position < spelling.size() && (spelling[position] == '+' || spelling[position] == '-'))
        ++position;
      const std::size_t exponent = position;
      while (position < spelling.size() && is_digit(spelling[position])) ++position;
      if (position == exponent) points = 2;
    }
    if (position < spelling.size() && (spelling[position] == 'f' || spelling[position] == 'F' ||
                                       spelling[position] == 'l' || spelling[position] == 'L'))
      ++position;
    if (points > 1 || position != spelling.size())
      throw refusal{{first, spelling.size()},
                    joined(spelling.substr(0, 40), " is not a number"),
                    "write numbers as in C"};
  }

  std::string_view text_;
  std::size_t offset_ = 0;
  bool first_of_line_ = true;
  std::vector<token> result_;
};

}  // namespace

std::vector<token> tokens_of(const source& input) { return reader(input).run(); }

}  // namespace command_line
