// SPDX-License-Identifier: MIT
#include "kernel_heads.hpp"

#include <algorithm>
#include <utility>

#include "../element_types.hpp"
#include "statement_scan.hpp"

namespace command_line {

namespace {

using tokens = std::vector<token>;

bool is_integer_word(const token& word) {
  if (word.is("unsigned") || word.is("signed") || word.is("long")) return true;
  const element_type* const type = find_element_type(word.text);
  return type != nullptr && type->counts;
}

// The values of `#define N 32` and `const int N = 32`, as far as they are sums and products.
class constants {
 public:
  // `hidden`: names that mean something else where they are used.
  explicit constants(const tokens& all, std::vector<std::string_view> hidden = {})
      : all_(all), hidden_(std::move(hidden)) {}

  // Of all tokens between these; nothing if it is not known, or is not all of them.
  std::optional<long long> value(std::size_t begin, std::size_t end) const {
    std::size_t at = begin;
    const auto result = sum(at, end, 0);
    return at == end ? result : std::nullopt;
  }

 private:
  static constexpr int most_names = 16;  // within names

  std::optional<long long> sum(std::size_t& at, std::size_t end, int depth) const {
    auto left = product(at, end, depth);
    while (left && at < end && (all_[at].is("+") || all_[at].is("-"))) {
      const bool adds = all_[at++].is("+");
      const auto right = product(at, end, depth);
      long long result = 0;
      if (!right || (adds ? __builtin_add_overflow(*left, *right, &result)
                          : __builtin_sub_overflow(*left, *right, &result)))
        return {};
      left = result;
    }
    return left;
  }
  std::optional<long long> product(std::size_t& at, std::size_t end, int depth) const {
    auto left = factor(at, end, depth);
    while (left && at < end && (all_[at].is("*") || all_[at].is("/"))) {
      const bool multiplies = all_[at++].is("*");
      const auto right = factor(at, end, depth);
      long long result = 0;
      if (!right || (!multiplies && *right <= 0) ||
          (multiplies && __builtin_mul_overflow(*left, *right, &result)))
        return {};
      left = multiplies ? result : *left / *right;
    }
    return left;
  }
  std::optional<long long> factor(std::size_t& at, std::size_t end, int depth) const {
    if (at >= end || depth > most_names) return {};
    const token& one = all_[at++];
    if (one.kind == token_kind::number) return one.value;
    if (one.is("true") || one.is("false")) return one.is("true") ? 1 : 0;
    if (one.is("(")) {
      const auto result = sum(at, end, depth + 1);
      return result && at < end && all_[at++].is(")") ? result : std::nullopt;
    }
    return one.kind == token_kind::name ? named(one.text, depth + 1) : std::nullopt;
  }
  // Of two declarations it is not known which one is meant.
  std::optional<long long> named(std::string_view name, int depth) const {
    if (std::find(hidden_.begin(), hidden_.end(), name) != hidden_.end()) return {};
    std::optional<long long> result;
    int declarations = 0;
    for (std::size_t at = 1; at + 1 < all_.size(); ++at) {
      if (!all_[at].is(name)) continue;
      std::size_t begin = at + 1, end = begin;
      if (all_[at - 1].is("define")) {
        while (end + 1 < all_.size() && !all_[end].first_of_line) ++end;
      } else if (all_[at + 1].is("=") && is_constant(at)) {
        end = ++begin;
        while (end + 1 < all_.size() && !all_[end].is(";") && !all_[end].is(",")) ++end;
      } else {
        continue;
      }
      ++declarations;
      std::size_t last = begin;
      result = sum(last, end, depth);
      if (last != end) result.reset();
    }
    return declarations == 1 ? result : std::nullopt;
  }
  // True if const or constexpr begins the statement.
  bool is_constant(std::size_t name) const {
    for (std::size_t at = name; at-- > 0;) {
      const token& one = all_[at];
      // Of these types a value may become another one.
      if (one.is("bool") || one.is("char") || one.is("short")) return false;
      if (one.is("const") || one.is("constexpr")) return true;
      if (one.is(";") || one.is("{") || one.is("}") || one.is("(") || one.is("define")) break;
    }
    return false;
  }

  const tokens& all_;
  std::vector<std::string_view> hidden_;
};

// Of the tokens of one parameter, without its comma.
void add_parameter(const tokens& all, std::size_t begin, std::size_t end, kernel_head& to) {
  kernel_parameter result;
  result.type = begin;
  std::size_t value = begin;
  while (value < end && !all[value].is("=")) ++value;
  std::size_t name_end = value;
  int stars = 0, references = 0;
  for (std::size_t at = begin; at < value; ++at) {
    if (all[at].is("[")) name_end = std::min(name_end, at), ++stars;  // rows are no pointer either
    stars += all[at].is("*") ? 1 : 0;
    references += all[at].is("&") || all[at].is("&&") ? 1 : 0;
  }
  // A type alone has no name.
  if (name_end < begin + 2 || all[name_end - 1].kind != token_kind::name) return;
  result.name = all[name_end - 1];
  std::size_t word = begin;
  while (word < name_end && (is_qualifier(all[word].text) || all[word].is("__grid_constant__")))
    ++word;
  const token& first = all[word];
  using kind = kernel_parameter::kind;
  if (stars > 0)
    result.is = stars == 1 && references == 0 ? kind::pointer : kind::other;
  else if (references > 0)
    result.is = kind::other;
  else if (first.is("typename") || first.is("class"))
    result.is = kind::type;
  else if (first.is("bool"))
    result.is = kind::flag;
  else if (is_integer_word(first))
    result.is = kind::number;
  if (value < end) {
    std::vector<std::string_view> earlier;
    for (const kernel_parameter& one : to.parameters) earlier.push_back(one.name.text);
    result.value = constants(all, earlier).value(value + 1, end);
    if (value + 2 == end) result.stated_type = all[value + 1].text;
  }
  to.parameters.push_back(result);
}

// After the bracket at `open`, to the one at `close`.
void add_parameters(const tokens& all, std::size_t open, std::size_t close, kernel_head& to) {
  std::size_t begin = open + 1;
  int depth = 0;
  for (std::size_t at = begin; at <= close; ++at) {
    if (at == close || (depth == 0 && all[at].is(","))) {
      if (at > begin) add_parameter(all, begin, at, to);
      begin = at + 1;
      continue;
    }
    const bool opens = all[at].is("(") || all[at].is("<") || all[at].is("[") || all[at].is("{"),
               closes = all[at].is(")") || all[at].is(">") || all[at].is("]") || all[at].is("}");
    depth += opens ? 1 : closes ? -1 : 0;
  }
}

kernel_head head_of(const tokens& all, std::size_t first, const function_head& function) {
  kernel_head result{all[function.name], first, function.body, function.end, {}};
  for (std::size_t at = first; at < function.name; ++at) {
    if (all[at].is("template") && all[at + 1].is("<")) {
      std::size_t close = at + 2;
      for (int depth = 1; close < function.name; ++close) {
        depth += all[close].is("<") ? 1 : all[close].is(">") ? -1 : 0;
        if (depth == 0) break;
      }
      add_parameters(all, at + 1, close, result);
      for (kernel_parameter& one : result.parameters) one.is_of_template = true;
    }
    if (!all[at].is("__launch_bounds__") || !all[at + 1].is("(")) continue;
    std::size_t end = at + 2;
    while (end < function.name && !all[end].is(",") && end + 1 < after_bracket(all, at + 1)) ++end;
    result.most_threads = constants(all).value(at + 2, end).value_or(0);
  }
  add_parameters(all, function.name + 1, after_bracket(all, function.name + 1) - 1, result);
  return result;
}

}  // namespace

std::vector<kernel_head> kernel_heads(const tokens& all) {
  std::vector<kernel_head> result;
  for (std::size_t at = 0; at + 1 < all.size();) {
    const function_head function =
        all[at].kind == token_kind::name ? function_at(all, at) : function_head{};
    if (function.name == 0) {
      ++at;
      continue;
    }
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(at),
               name = all.begin() + static_cast<std::ptrdiff_t>(function.name);
    const bool is_kernel =
        std::any_of(begin, name, [](const token& one) { return one.is("__global__"); });
    if (is_kernel && function.body != 0) result.push_back(head_of(all, at, function));
    at = function.end;
  }
  return result;
}

}  // namespace command_line
