// SPDX-License-Identifier: MIT
#include "changed_names.hpp"

#include <algorithm>
#include <iterator>

#include "../element_types.hpp"

namespace command_line {

namespace {

using tokens = std::vector<token>;
constexpr std::size_t none = static_cast<std::size_t>(-1);

bool is_step(const token& word) { return word.is("++") || word.is("--"); }

template <class... Words>
bool is_any(const token& word, const Words&... words) {
  return (word.is(words) || ...);
}

// What may be beside a variable where an expression is it.
bool may_begin(const token* previous) {
  return previous == nullptr || is_any(*previous, "(", "{", ",", "?", ":");
}
bool may_end(const token* next) {
  return next == nullptr || is_any(*next, ")", "}", ",", ":", ";");
}

// A part of an expression that is a variable or an element, and the tokens around it.
struct name_use {
  std::size_t begin, end;
  const token *previous, *next;  // nullptr: the text begins or ends there
  bool is_bare() const { return may_begin(previous) && may_end(next); }
};

// The names of a piece of text, from token `begin` to before `end`.
class names_of {
 public:
  names_of(const tokens& stream, std::size_t begin, std::size_t end);

  // True for the name of a variable, not of a function, a member or a part of a namespace.
  bool is_variable(std::size_t position) const;
  // The largest part: of `x` in `(c ? x : y) = 1` the parentheses.
  name_use part_of(std::size_t position) const;
  std::size_t enclosing(const name_use& use) const { return open_[use.begin - begin_]; }

  bool is_assigned(const name_use& use) const;
  bool is_given(const name_use& use) const;
  // By `&x`, `Type object{x}`, `int& r = x`, or by a lambda.
  bool is_aliased(const name_use& use) const;

 private:
  bool is_cast(std::size_t close) const;
  std::size_t before_template(std::size_t position) const;
  std::size_t called(std::size_t open) const;
  bool is_group(std::size_t open) const;
  bool is_address(const name_use& use) const;
  bool is_kept(const name_use& use) const;
  bool is_lambda(std::size_t position) const;
  void read_references();

  const tokens& tokens_;
  std::size_t begin_, end_;
  std::vector<std::size_t> open_, close_;  // the brackets around a token; of one, its partner
  std::vector<bool> is_referring_;         // in the value of a reference
  bool has_lambda_ = false;
};

names_of::names_of(const tokens& stream, std::size_t begin, std::size_t end)
    : tokens_(stream),
      begin_(begin),
      end_(std::max(begin, end)),  // a text that is cut off has none
      open_(end_ - begin_, none),
      close_(end_ - begin_, end_),
      is_referring_(end_ - begin_, false) {
  std::vector<std::size_t> brackets;
  for (std::size_t position = begin; position < end; ++position) {
    has_lambda_ = has_lambda_ || is_lambda(position);
    if (is_any(stream[position], ")", "]", "}") && !brackets.empty()) {
      close_[brackets.back() - begin] = position;
      open_[position - begin] = brackets.back();
      brackets.pop_back();
      continue;
    }
    if (!brackets.empty()) open_[position - begin] = brackets.back();
    if (is_any(stream[position], "(", "[", "{")) brackets.push_back(position);
  }
  read_references();
}

void names_of::read_references() {
  bool is_const = false, is_referring = false;
  for (std::size_t position = begin_; position < end_; ++position) {
    const token& word = tokens_[position];
    if (is_any(word, ";", "{", "}")) is_const = is_referring = false;
    if (word.is("const")) is_const = true;
    if (word.is("=") && position >= begin_ + 2)
      is_referring = !is_const && is_any(tokens_[position - 2], "&", "&&") &&
                     tokens_[position - 1].kind == token_kind::name;
    is_referring_[position - begin_] = is_referring;
  }
}

bool names_of::is_variable(std::size_t position) const {
  if (tokens_[position].kind != token_kind::name ||
      is_any(tokens_[position + 1], "(", "::", ".", "->"))
    return false;
  return position == begin_ || !is_any(tokens_[position - 1], ".", "->", "::");
}

// True for `(const int*)` that ends with the parenthesis at `close`.
bool names_of::is_cast(std::size_t close) const {
  const std::size_t open = open_[close - begin_];
  if (open == none || open + 1 == close) return false;
  return std::all_of(tokens_.begin() + static_cast<std::ptrdiff_t>(open) + 1,
                     tokens_.begin() + static_cast<std::ptrdiff_t>(close), [](const token& word) {
                       return (word.kind == token_kind::name && is_type_word(word.text)) ||
                              is_any(word, "*", "&");
                     });
}

// The name before `<int, 32>` that ends at `position`; none if it is a comparison.
std::size_t names_of::before_template(std::size_t position) const {
  constexpr std::size_t longest = 64;
  int open = 0;
  for (std::size_t steps = 0; position > begin_ && steps < longest; --position, ++steps) {
    const token& word = tokens_[position];
    open += word.is(">") ? 1 : word.is(">>") ? 2 : word.is("<") ? -1 : 0;
    if (open == 0) return tokens_[position - 1].kind == token_kind::name ? position - 1 : none;
    if (word.kind == token_kind::symbol && !is_any(word, ">", ">>", "<", ",", "::", "*", "&"))
      return none;
  }
  return none;
}

// The name of the function that is called with the parenthesis at `open`, or a symbol if it has
// none; none: the parenthesis only groups.
std::size_t names_of::called(std::size_t open) const {
  if (open <= begin_) return none;
  const std::size_t previous = open - 1;
  const token& word = tokens_[previous];
  if (word.is(">")) return before_template(previous);
  if (word.is(")")) return is_cast(previous) ? none : previous;
  if (word.kind == token_kind::real)  // asm(".." : "=r"(x))
    return word.text.substr(0, 2) == "\"=" || word.text.substr(0, 2) == "\"+" ? previous : none;
  if (word.kind == token_kind::name)
    return is_any(word, "return", "else", "case", "do", "if", "for", "while", "switch") ? none
                                                                                        : previous;
  return word.is("]") ? previous : none;
}

bool names_of::is_group(std::size_t open) const {
  return open != none && tokens_[open].is("(") && called(open) == none;
}

name_use names_of::part_of(std::size_t position) const {
  name_use result{position, position + 1, nullptr, nullptr};
  while (result.end < end_ && tokens_[result.end].is("["))
    result.end = std::min(close_[result.end - begin_] + 1, end_);
  while (true) {
    result.previous = result.begin > begin_ ? &tokens_[result.begin - 1] : nullptr;
    result.next = result.end < end_ ? &tokens_[result.end] : nullptr;
    const std::size_t open = enclosing(result);
    if (!result.is_bare() || !is_group(open)) return result;
    result.begin = open;
    result.end = std::min(close_[open - begin_] + 1, end_);
  }
}

bool names_of::is_assigned(const name_use& use) const {
  if (use.previous != nullptr && is_step(*use.previous)) return true;
  return use.next != nullptr && is_assigning(*use.next) &&
         !(is_step(*use.next) && use.next->first_of_line);
}

// True if the function that it is an argument of may take a reference.
bool names_of::is_given(const name_use& use) const {
  const std::size_t open = enclosing(use);
  if (open == none || !tokens_[open].is("(") || !use.is_bare()) return false;
  const std::size_t function = called(open);
  return function != none && !is_by_value(tokens_[function].text);
}

// True if `&` before the part takes its address: after a value it joins bits. A cast to a
// reference is like an address.
bool names_of::is_address(const name_use& use) const {
  const std::size_t open = enclosing(use);
  if (open != none && open >= begin_ + 2 && use.is_bare() && tokens_[open].is("(") &&
      tokens_[open - 1].is(">") && is_any(tokens_[open - 2], "&", "*"))
    return true;
  if (use.previous == nullptr || !use.previous->is("&")) return false;
  if (use.begin < begin_ + 2) return true;
  const token& previous = tokens_[use.begin - 2];
  if (previous.is(")")) return is_cast(use.begin - 2);
  return previous.is("return") || (previous.kind == token_kind::symbol && !previous.is("]"));
}

// True for `Type object{x}`, which may keep a reference.
bool names_of::is_kept(const name_use& use) const {
  const std::size_t open = enclosing(use);
  if (open == none || open == begin_ || !tokens_[open].is("{") || !use.is_bare()) return false;
  if (use.next == nullptr || use.next->is(";")) return false;
  const token& object = tokens_[open - 1];
  const bool is_number =
      is_type_word(object.text) || (open > begin_ + 1 && is_type_word(tokens_[open - 2].text));
  return (object.kind == token_kind::name || object.is(">")) && !is_number &&
         !is_any(object, "else", "do", "enum");
}

bool names_of::is_lambda(std::size_t position) const {
  if (!tokens_[position].is("[")) return false;
  if (position == begin_) return true;
  const token& previous = tokens_[position - 1];
  return previous.is("return") ||
         (previous.kind == token_kind::symbol && !previous.is("]") && !previous.is(")"));
}

bool names_of::is_aliased(const name_use& use) const {
  const bool is_referred_to = is_referring_[use.begin - begin_] && may_end(use.next) &&
                              (may_begin(use.previous) || use.previous->is("="));
  return is_referred_to || is_address(use) || is_kept(use) ||
         (has_lambda_ && (is_assigned(use) || is_given(use)));
}

}  // namespace

bool is_assigning(const token& symbol) {
  constexpr std::string_view symbols[] = {
      "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"};
  return symbol.kind == token_kind::symbol &&
         std::ranges::find(symbols, symbol.text) != std::end(symbols);
}

bool is_by_value(std::string_view function) {
  // CUDA Math API, https://docs.nvidia.com/cuda/cuda-math-api: each also with an f at its end.
  constexpr std::string_view known[] = {
      "abs",       "acos",      "acosh",     "asin",     "asinh",  "atan",     "atan2",
      "atanh",     "cbrt",      "ceil",      "copysign", "cos",    "cosh",     "cospi",
      "erf",       "erfc",      "erfcinv",   "erfcx",    "erfinv", "exp",      "exp10",
      "exp2",      "expm1",     "fabs",      "fdim",     "floor",  "fma",      "fmax",
      "fmin",      "fmod",      "frexp",     "hypot",    "ilogb",  "isfinite", "isinf",
      "isnan",     "labs",      "ldexp",     "lgamma",   "llabs",  "llrint",   "llround",
      "log",       "log10",     "log1p",     "log2",     "logb",   "lrint",    "lround",
      "llmax",     "llmin",     "max",       "min",      "modf",   "normcdf",  "normcdfinv",
      "pow",       "rcbrt",     "remainder", "remquo",   "rhypot", "rint",     "round",
      "rsqrt",     "scalbln",   "scalbn",    "signbit",  "sin",    "sincos",   "sincospi",
      "sinh",      "sinpi",     "sqrt",      "tan",      "tanh",   "tgamma",   "trunc",
      "nearbyint", "nextafter", "ullmax",    "ullmin",   "umax",   "umin"};
  constexpr std::string_view builtins[] = {
      "sizeof",           "alignof",    "decltype", "static_cast",
      "reinterpret_cast", "const_cast", "printf",   "assert"};
  if (function.substr(0, 2) == "__" || function.substr(0, 5) == "make_" || is_type_word(function))
    return true;
  const std::string_view without_f =
      function.substr(0, function.size() - (!function.empty() && function.back() == 'f' ? 1 : 0));
  return includes(known, function) || includes(known, without_f) || includes(builtins, function);
}

std::vector<possible_change> possible_changes(const tokens& stream, std::size_t begin,
                                              std::size_t end) {
  const names_of names(stream, begin, end);
  std::vector<possible_change> result;
  for (std::size_t position = begin; position < end; ++position) {
    if (!names.is_variable(position)) continue;
    const name_use use = names.part_of(position);
    const bool is_in_group = use.begin != position && names.is_assigned(use);  // (x) = 1
    if (is_in_group || names.is_aliased(use))
      result.push_back({stream[position], change_kind::aliased});
    else if (names.is_assigned(use))
      result.push_back({stream[position], change_kind::assigned});
    else if (names.is_given(use))
      result.push_back({stream[position], change_kind::passed});
  }
  return result;
}

tokens bare_names(const tokens& stream, std::size_t begin, std::size_t end) {
  const names_of names(stream, begin, end);
  tokens result;
  for (std::size_t position = begin; position < end; ++position) {
    if (!names.is_variable(position)) continue;
    const name_use use = names.part_of(position);
    const bool begins = use.previous == nullptr || is_any(*use.previous, "?", ":", ",", "++", "--");
    const bool ends = use.next == nullptr || is_any(*use.next, ":", ",") || is_assigning(*use.next);
    if (begins && ends && names.enclosing(use) == none) result.push_back(stream[position]);
  }
  return result;
}

bool declares_reference(const tokens& stream, std::size_t begin, std::size_t end) {
  for (std::size_t position = begin + 2; position < end; ++position)
    if (stream[position].is("=") && stream[position - 1].kind == token_kind::name &&
        is_any(stream[position - 2], "&", "&&"))
      return true;
  return false;
}

}  // namespace command_line
