// SPDX-License-Identifier: MIT
#include "kernel_heads.hpp"

#include <algorithm>

#include "element_types.hpp"
#include "statement_scan.hpp"

namespace command_line {

namespace {

using tokens = std::vector<token>;

bool is_integer_word(const token& word) {
  if (word.is("unsigned") || word.is("signed") || word.is("long")) return true;
  const element_type* const type = find_element_type(word.text);
  return type != nullptr && type->counts;
}

// Of the tokens of one parameter, without its comma.
void add_parameter(const tokens& all, std::size_t begin, std::size_t end, kernel_head& to) {
  kernel_parameter result;
  result.type = begin;
  std::size_t value = begin;
  while (value < end && !all[value].is("=")) ++value;
  std::size_t name_end = value;
  int stars = 0, references = 0;
  for (std::size_t at = begin; at < value; ++at) {
    if (all[at].is("[") && name_end == value) name_end = at, ++stars;
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
  if (value + 2 == end && all[value + 1].kind == token_kind::number)
    result.value = all[value + 1].value;
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
    }
    if (all[at].is("__launch_bounds__") && all[at + 1].is("(") &&
        all[at + 2].kind == token_kind::number && !all[at + 3].is("*"))
      result.most_threads = all[at + 2].value;
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
