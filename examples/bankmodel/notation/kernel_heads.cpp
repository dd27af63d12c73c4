// SPDX-License-Identifier: MIT
#include "kernel_heads.hpp"

#include <algorithm>
#include <utility>

#include "../element_types.hpp"
#include "../sequences.hpp"
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
  explicit constants(const tokens& stream, std::vector<std::string_view> hidden = {})
      : tokens_(stream), hidden_(std::move(hidden)) {}

  // Of all tokens between these; nothing if it is not known, or is not all of them.
  std::optional<long long> value(std::size_t begin, std::size_t end) const {
    std::size_t position = begin;
    const auto result = sum(position, end, 0);
    return position == end ? result : std::nullopt;
  }

 private:
  static constexpr int most_names = 16;  // within names

  std::optional<long long> sum(std::size_t& position, std::size_t end, int depth) const {
    auto left = product(position, end, depth);
    while (left && position < end && (tokens_[position].is("+") || tokens_[position].is("-"))) {
      const bool adds = tokens_[position++].is("+");
      const auto right = product(position, end, depth);
      long long result = 0;
      if (!right || (adds ? __builtin_add_overflow(*left, *right, &result)
                          : __builtin_sub_overflow(*left, *right, &result)))
        return {};
      left = result;
    }
    return left;
  }
  std::optional<long long> product(std::size_t& position, std::size_t end, int depth) const {
    auto left = factor(position, end, depth);
    while (left && position < end && (tokens_[position].is("*") || tokens_[position].is("/"))) {
      const bool multiplies = tokens_[position++].is("*");
      const auto right = factor(position, end, depth);
      long long result = 0;
      if (!right || (!multiplies && *right <= 0) ||
          (multiplies && __builtin_mul_overflow(*left, *right, &result)))
        return {};
      left = multiplies ? result : *left / *right;
    }
    return left;
  }
  std::optional<long long> factor(std::size_t& position, std::size_t end, int depth) const {
    if (position >= end || depth > most_names) return {};
    const token& word = tokens_[position++];
    if (word.kind == token_kind::number) return word.value;
    if (word.is("true") || word.is("false")) return word.is("true") ? 1 : 0;
    if (word.is("(")) {
      const auto result = sum(position, end, depth + 1);
      return result && position < end && tokens_[position++].is(")") ? result : std::nullopt;
    }
    return word.kind == token_kind::name ? named(word.text, depth + 1) : std::nullopt;
  }
  // Of two declarations it is not known which one is meant.
  std::optional<long long> named(std::string_view name, int depth) const {
    if (includes(hidden_, name)) return {};
    std::optional<long long> result;
    int declarations = 0;
    for (std::size_t position = 1; position + 1 < tokens_.size(); ++position) {
      if (!tokens_[position].is(name)) continue;
      std::size_t begin = position + 1, end = begin;
      if (tokens_[position - 1].is("define")) {
        while (end + 1 < tokens_.size() && !tokens_[end].first_of_line) ++end;
      } else if (tokens_[position + 1].is("=") && is_constant(position)) {
        end = ++begin;
        while (end + 1 < tokens_.size() && !tokens_[end].is(";") && !tokens_[end].is(",")) ++end;
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
    for (std::size_t position = name; position-- > 0;) {
      const token& word = tokens_[position];
      // Of these types a value may become another one.
      if (word.is("bool") || word.is("char") || word.is("short")) return false;
      if (word.is("const") || word.is("constexpr")) return true;
      if (word.is(";") || word.is("{") || word.is("}") || word.is("(") || word.is("define")) break;
    }
    return false;
  }

  const tokens& tokens_;
  std::vector<std::string_view> hidden_;
};

// Of the tokens of one parameter, without its comma.
void add_parameter(const tokens& stream, std::size_t begin, std::size_t end, kernel_head& head) {
  kernel_parameter result;
  result.type = begin;
  std::size_t value = begin;
  while (value < end && !stream[value].is("=")) ++value;
  std::size_t name_end = value;
  int stars = 0, references = 0;
  for (std::size_t position = begin; position < value; ++position) {
    if (stream[position].is("["))
      name_end = std::min(name_end, position), ++stars;  // rows are no pointer either
    stars += stream[position].is("*") ? 1 : 0;
    references += stream[position].is("&") || stream[position].is("&&") ? 1 : 0;
  }
  // A type alone has no name.
  if (name_end < begin + 2 || stream[name_end - 1].kind != token_kind::name) return;
  result.name = stream[name_end - 1];
  std::size_t word = begin;
  while (word < name_end &&
         (is_qualifier(stream[word].text) || stream[word].is("__grid_constant__")))
    ++word;
  const token& first = stream[word];
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
    for (const kernel_parameter& parameter : head.parameters)
      earlier.push_back(parameter.name.text);
    result.value = constants(stream, earlier).value(value + 1, end);
    if (value + 2 == end) result.stated_type = stream[value + 1].text;
  }
  head.parameters.push_back(result);
}

// After the bracket at `open`, to the one at `close`.
void add_parameters(const tokens& stream, std::size_t open, std::size_t close, kernel_head& head) {
  std::size_t begin = open + 1;
  int depth = 0;
  for (std::size_t position = begin; position <= close; ++position) {
    if (position == close || (depth == 0 && stream[position].is(","))) {
      if (position > begin) add_parameter(stream, begin, position, head);
      begin = position + 1;
      continue;
    }
    const bool opens = stream[position].is("(") || stream[position].is("<") ||
                       stream[position].is("[") || stream[position].is("{"),
               closes = stream[position].is(")") || stream[position].is(">") ||
                        stream[position].is("]") || stream[position].is("}");
    depth += opens ? 1 : closes ? -1 : 0;
  }
}

kernel_head head_of(const tokens& stream, std::size_t first, const function_head& function) {
  kernel_head result{stream[function.name], first, function.body, function.end, {}};
  for (std::size_t position = first; position < function.name; ++position) {
    if (stream[position].is("template") && stream[position + 1].is("<")) {
      std::size_t close = position + 2;
      for (int depth = 1; close < function.name; ++close) {
        depth += stream[close].is("<") ? 1 : stream[close].is(">") ? -1 : 0;
        if (depth == 0) break;
      }
      add_parameters(stream, position + 1, close, result);
      for (kernel_parameter& parameter : result.parameters) parameter.is_of_template = true;
    }
    if (!stream[position].is("__launch_bounds__") || !stream[position + 1].is("(")) continue;
    std::size_t end = position + 2;
    while (end < function.name && !stream[end].is(",") &&
           end + 1 < after_bracket(stream, position + 1))
      ++end;
    result.most_threads = constants(stream).value(position + 2, end).value_or(0);
  }
  add_parameters(stream, function.name + 1, after_bracket(stream, function.name + 1) - 1, result);
  return result;
}

}  // namespace

std::vector<kernel_head> kernel_heads(const tokens& stream) {
  std::vector<kernel_head> result;
  for (std::size_t position = 0; position + 1 < stream.size();) {
    const function_head function =
        stream[position].kind == token_kind::name ? function_at(stream, position) : function_head{};
    if (function.name == 0) {
      ++position;
      continue;
    }
    const auto begin = stream.begin() + static_cast<std::ptrdiff_t>(position),
               name = stream.begin() + static_cast<std::ptrdiff_t>(function.name);
    const bool is_kernel =
        std::any_of(begin, name, [](const token& word) { return word.is("__global__"); });
    if (is_kernel && function.body != 0) result.push_back(head_of(stream, position, function));
    position = function.end;
  }
  return result;
}

}  // namespace command_line
