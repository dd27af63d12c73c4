// SPDX-License-Identifier: MIT
#include "changed_names.hpp"

#include <algorithm>
#include <iterator>

#include "../element_types.hpp"

namespace command_line {

namespace {

using tokens = std::vector<token>;
constexpr std::size_t none = static_cast<std::size_t>(-1);

bool is_step(const token& one) { return one.is("++") || one.is("--"); }

template <class... Words>
bool is_any(const token& one, const Words&... words) {
  return (one.is(words) || ...);
}

// What may be beside a variable where an expression is it.
bool may_begin(const token* before) {
  return before == nullptr || is_any(*before, "(", "{", ",", "?", ":");
}
bool may_end(const token* after) {
  return after == nullptr || is_any(*after, ")", "}", ",", ":", ";");
}

// A part of an expression that is a variable or an element, and the tokens around it.
struct name_use {
  std::size_t begin, end;
  const token *before, *after;  // nullptr: the text begins or ends there
  bool is_bare() const { return may_begin(before) && may_end(after); }
};

// The names of a piece of text, from token `begin` to before `end`.
class names_of {
 public:
  names_of(const tokens& all, std::size_t begin, std::size_t end);

  // True for the name of a variable, not of a function, a member or a part of a namespace.
  bool is_variable(std::size_t at) const;
  // The largest part: of `x` in `(c ? x : y) = 1` the parentheses.
  name_use part_of(std::size_t at) const;
  std::size_t enclosing(const name_use& of) const { return open_[of.begin - begin_]; }

  bool is_assigned(const name_use& of) const;
  bool is_given(const name_use& of) const;
  // By `&x`, `Type object{x}`, `int& r = x`, or by a lambda.
  bool is_aliased(const name_use& of) const;
  bool has_lambda() const { return has_lambda_; }

 private:
  bool is_cast(std::size_t close) const;
  std::size_t before_template(std::size_t at) const;
  std::size_t called(std::size_t open) const;
  bool is_group(std::size_t open) const;
  bool is_address(const name_use& of) const;
  bool is_kept(const name_use& of) const;
  bool is_lambda(std::size_t at) const;
  void read_references();

  const tokens& all_;
  std::size_t begin_, end_;
  std::vector<std::size_t> open_, close_;  // the brackets around a token; of one, its partner
  std::vector<bool> is_referring_;         // in the value of a reference
  bool has_lambda_ = false;
};

names_of::names_of(const tokens& all, std::size_t begin, std::size_t end)
    : all_(all),
      begin_(begin),
      end_(std::max(begin, end)),  // a text that is cut off has none
      open_(end_ - begin_, none),
      close_(end_ - begin_, end_),
      is_referring_(end_ - begin_, false) {
  std::vector<std::size_t> around;
  for (std::size_t at = begin; at < end; ++at) {
    has_lambda_ = has_lambda_ || is_lambda(at);
    if (is_any(all[at], ")", "]", "}") && !around.empty()) {
      close_[around.back() - begin] = at;
      open_[at - begin] = around.back();
      around.pop_back();
      continue;
    }
    if (!around.empty()) open_[at - begin] = around.back();
    if (is_any(all[at], "(", "[", "{")) around.push_back(at);
  }
  read_references();
}

void names_of::read_references() {
  bool is_const = false, is_referring = false;
  for (std::size_t at = begin_; at < end_; ++at) {
    const token& one = all_[at];
    if (is_any(one, ";", "{", "}")) is_const = is_referring = false;
    if (one.is("const")) is_const = true;
    if (one.is("=") && at >= begin_ + 2)
      is_referring =
          !is_const && is_any(all_[at - 2], "&", "&&") && all_[at - 1].kind == token_kind::name;
    is_referring_[at - begin_] = is_referring;
  }
}

bool names_of::is_variable(std::size_t at) const {
  if (all_[at].kind != token_kind::name || is_any(all_[at + 1], "(", "::", ".", "->")) return false;
  return at == begin_ || !is_any(all_[at - 1], ".", "->", "::");
}

// True for `(const int*)` that ends with the parenthesis at `close`.
bool names_of::is_cast(std::size_t close) const {
  const std::size_t open = open_[close - begin_];
  if (open == none || open + 1 == close) return false;
  return std::all_of(all_.begin() + static_cast<std::ptrdiff_t>(open) + 1,
                     all_.begin() + static_cast<std::ptrdiff_t>(close), [](const token& one) {
                       return (one.kind == token_kind::name && is_type_word(one.text)) ||
                              is_any(one, "*", "&");
                     });
}

// The name before `<int, 32>` that ends at `at`; none if it is a comparison.
std::size_t names_of::before_template(std::size_t at) const {
  constexpr std::size_t longest = 64;
  int open = 0;
  for (std::size_t steps = 0; at > begin_ && steps < longest; --at, ++steps) {
    const token& one = all_[at];
    open += one.is(">") ? 1 : one.is(">>") ? 2 : one.is("<") ? -1 : 0;
    if (open == 0) return all_[at - 1].kind == token_kind::name ? at - 1 : none;
    if (one.kind == token_kind::symbol && !is_any(one, ">", ">>", "<", ",", "::", "*", "&"))
      return none;
  }
  return none;
}

// The name of the function that is called with the parenthesis at `open`, or a symbol if it has
// none; none: the parenthesis only groups.
std::size_t names_of::called(std::size_t open) const {
  if (open <= begin_) return none;
  const std::size_t before = open - 1;
  const token& word = all_[before];
  if (word.is(">")) return before_template(before);
  if (word.is(")")) return is_cast(before) ? none : before;
  if (word.kind == token_kind::real)  // asm(".." : "=r"(x))
    return word.text.substr(0, 2) == "\"=" || word.text.substr(0, 2) == "\"+" ? before : none;
  if (word.kind == token_kind::name)
    return is_any(word, "return", "else", "case", "do", "if", "for", "while", "switch") ? none
                                                                                        : before;
  return word.is("]") ? before : none;
}

bool names_of::is_group(std::size_t open) const {
  return open != none && all_[open].is("(") && called(open) == none;
}

name_use names_of::part_of(std::size_t at) const {
  name_use result{at, at + 1, nullptr, nullptr};
  while (result.end < end_ && all_[result.end].is("["))
    result.end = std::min(close_[result.end - begin_] + 1, end_);
  while (true) {
    result.before = result.begin > begin_ ? &all_[result.begin - 1] : nullptr;
    result.after = result.end < end_ ? &all_[result.end] : nullptr;
    const std::size_t open = enclosing(result);
    if (!result.is_bare() || !is_group(open)) return result;
    result.begin = open;
    result.end = std::min(close_[open - begin_] + 1, end_);
  }
}

bool names_of::is_assigned(const name_use& of) const {
  if (of.before != nullptr && is_step(*of.before)) return true;
  return of.after != nullptr && is_assigning(*of.after) &&
         !(is_step(*of.after) && of.after->first_of_line);
}

// True if the function that it is an argument of may take a reference.
bool names_of::is_given(const name_use& of) const {
  const std::size_t open = enclosing(of);
  if (open == none || !all_[open].is("(") || !of.is_bare()) return false;
  const std::size_t function = called(open);
  return function != none && !is_by_value(all_[function].text);
}

// True if `&` before the part takes its address: after a value it joins bits. A cast to a
// reference is like an address.
bool names_of::is_address(const name_use& of) const {
  const std::size_t open = enclosing(of);
  if (open != none && open >= begin_ + 2 && of.is_bare() && all_[open].is("(") &&
      all_[open - 1].is(">") && is_any(all_[open - 2], "&", "*"))
    return true;
  if (of.before == nullptr || !of.before->is("&")) return false;
  if (of.begin < begin_ + 2) return true;
  const token& before = all_[of.begin - 2];
  if (before.is(")")) return is_cast(of.begin - 2);
  return before.is("return") || (before.kind == token_kind::symbol && !before.is("]"));
}

// True for `Type object{x}`, which may keep a reference.
bool names_of::is_kept(const name_use& of) const {
  const std::size_t open = enclosing(of);
  if (open == none || open == begin_ || !all_[open].is("{") || !of.is_bare()) return false;
  if (of.after == nullptr || of.after->is(";")) return false;
  const token& object = all_[open - 1];
  const bool is_number =
      is_type_word(object.text) || (open > begin_ + 1 && is_type_word(all_[open - 2].text));
  return (object.kind == token_kind::name || object.is(">")) && !is_number &&
         !is_any(object, "else", "do", "enum");
}

bool names_of::is_lambda(std::size_t at) const {
  if (!all_[at].is("[")) return false;
  if (at == begin_) return true;
  const token& before = all_[at - 1];
  return before.is("return") ||
         (before.kind == token_kind::symbol && !before.is("]") && !before.is(")"));
}

bool names_of::is_aliased(const name_use& of) const {
  const bool is_referred_to = is_referring_[of.begin - begin_] && may_end(of.after) &&
                              (may_begin(of.before) || of.before->is("="));
  return is_referred_to || is_address(of) || is_kept(of) ||
         (has_lambda_ && (is_assigned(of) || is_given(of)));
}

}  // namespace

bool is_assigning(const token& symbol) {
  constexpr std::string_view all[] = {
      "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"};
  return symbol.kind == token_kind::symbol &&
         std::find(std::begin(all), std::end(all), symbol.text) != std::end(all);
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
  constexpr std::string_view others[] = {
      "sizeof",           "alignof",    "decltype", "static_cast",
      "reinterpret_cast", "const_cast", "printf",   "assert"};
  const auto is_in = [&](const auto& all, std::string_view name) {
    return std::find(std::begin(all), std::end(all), name) != std::end(all);
  };
  if (function.substr(0, 2) == "__" || function.substr(0, 5) == "make_" || is_type_word(function))
    return true;
  const std::string_view without_f =
      function.substr(0, function.size() - (!function.empty() && function.back() == 'f' ? 1 : 0));
  return is_in(known, function) || is_in(known, without_f) || is_in(others, function);
}

std::vector<possible_change> possible_changes(const tokens& all, std::size_t begin,
                                              std::size_t end) {
  const names_of names(all, begin, end);
  std::vector<possible_change> result;
  for (std::size_t at = begin; at < end; ++at) {
    if (!names.is_variable(at)) continue;
    const name_use of = names.part_of(at);
    const bool is_in_group = of.begin != at && names.is_assigned(of);  // (x) = 1
    if (is_in_group || names.is_aliased(of))
      result.push_back({all[at], change_kind::aliased});
    else if (names.is_assigned(of))
      result.push_back({all[at], change_kind::assigned});
    else if (names.is_given(of))
      result.push_back({all[at], change_kind::given});
  }
  return result;
}

tokens bare_names(const tokens& all, std::size_t begin, std::size_t end) {
  const names_of names(all, begin, end);
  tokens result;
  for (std::size_t at = begin; at < end; ++at) {
    if (!names.is_variable(at)) continue;
    const name_use of = names.part_of(at);
    const bool begins = of.before == nullptr || is_any(*of.before, "?", ":", ",", "++", "--");
    const bool ends = of.after == nullptr || is_any(*of.after, ":", ",") || is_assigning(*of.after);
    if (begins && ends && names.enclosing(of) == none) result.push_back(all[at]);
  }
  return result;
}

bool declares_reference(const tokens& all, std::size_t begin, std::size_t end) {
  for (std::size_t at = begin + 2; at < end; ++at)
    if (all[at].is("=") && all[at - 1].kind == token_kind::name && is_any(all[at - 2], "&", "&&"))
      return true;
  return false;
}

}  // namespace command_line
