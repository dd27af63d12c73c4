// SPDX-License-Identifier: MIT
#include "statement_scan.hpp"

#include <algorithm>
#include <iterator>

namespace command_line {

namespace {

using tokens = std::vector<token>;

template <std::size_t Count>
bool is_one_of(const token& word, const std::string_view (&all)[Count]) {
  return std::any_of(std::begin(all), std::end(all),
                     [&](std::string_view one) { return word.is(one); });
}

// With a condition in parentheses and a statement after it.
constexpr std::string_view headed[] = {"for", "while", "if", "switch"};
constexpr std::string_view loops[] = {"for", "while", "do", "switch"};
// Before the name of a function, with parentheses.
constexpr std::string_view attributes[] = {"__launch_bounds__", "__attribute__",
                                           "__align__",         "alignas",
                                           "__maxnreg__",       "__cluster_dims__"};
constexpr std::string_view specifiers[] = {
    "__global__", "__device__", "__host__",  "__forceinline__", "__noinline__", "inline",
    "static",     "extern",     "constexpr", "template",        "typename"};
constexpr std::string_view in_types[] = {"*", "&", "&&", "::"};
constexpr std::string_view ends_of_template[] = {">", ";", "{", "("};
// Words that begin a statement of the notation: a new line without a semicolon before it.
constexpr std::string_view beginning[] = {"load",   "store", "atomic", "for",     "if",
                                          "shared", "block", "grid",   "machine", "define"};

std::size_t end_of_simple(const tokens& all, std::size_t at) {
  const std::size_t first = at;
  while (at + 1 < all.size()) {
    const token& one = all[at];
    if (one.is(";")) return at + 1;
    if (one.is("}") || (at > first && one.first_of_line && is_one_of(one, beginning))) return at;
    at = one.is("(") || one.is("[") || one.is("{") ? after_bracket(all, at) : at + 1;
  }
  return at;
}

}  // namespace

std::size_t after_bracket(const tokens& all, std::size_t at) {
  int open = 0;
  for (; at + 1 < all.size(); ++at) {
    const token& one = all[at];
    if (one.is("(") || one.is("[") || one.is("{")) ++open;
    if ((one.is(")") || one.is("]") || one.is("}")) && --open <= 0) return at + 1;
  }
  return at;
}

std::size_t end_of_statement(const tokens& all, std::size_t at) {
  for (; at + 1 < all.size();) {
    const token& first = all[at];
    if (first.is("{")) return after_bracket(all, at);
    if (is_one_of(first, headed) && all[at + 1].is("(")) {
      at = after_bracket(all, at + 1);
      if (!first.is("if")) continue;
      const std::size_t then = end_of_statement(all, at);
      if (!all[std::min(then, all.size() - 1)].is("else")) return then;
      at = then + 1;
    } else if (first.is("do")) {
      at = end_of_statement(all, at + 1);
      return end_of_simple(all, at);
    } else {
      return end_of_simple(all, at);
    }
  }
  return at;
}

std::size_t end_of_head(const tokens& all, std::size_t at) {
  return after_bracket(all, std::min(at + 1, all.size() - 1));
}

bool is_declared_in(const tokens& all, std::size_t begin, std::size_t end, std::string_view name) {
  for (std::size_t at = begin + 1; at < end; ++at) {
    const token& before = all[at - 1];
    const bool is_word = before.is("return") || before.is("else") || before.is("case");
    if (all[at].text == name && before.kind == token_kind::name && !is_word) return true;
  }
  return false;
}

bool is_finished(const tokens& all, std::size_t begin, std::size_t end) {
  return end > begin && (all[end - 1].is(";") || all[end - 1].is("}"));
}

std::size_t exit_of_loop(const tokens& all, std::size_t begin, std::size_t end) {
  std::size_t inner = begin;  // the end of the loop within this one
  for (std::size_t at = begin + 1; at < end; ++at) {
    if (all[at].is("return") || (all[at].is("break") && at >= inner)) return at;
    if (at >= inner && is_one_of(all[at], loops)) inner = end_of_statement(all, at);
  }
  return end;
}

std::size_t continue_of_loop(const tokens& all, std::size_t begin, std::size_t end) {
  std::size_t inner = begin;  // the end of the loop within the statement
  for (std::size_t at = begin; at < end; ++at) {
    if (at < inner) continue;
    if (all[at].is("continue")) return at;
    if (is_one_of(all[at], loops) && !all[at].is("switch")) inner = end_of_statement(all, at);
  }
  return end;
}

bool is_directive_at(const tokens& all, std::size_t at) {
  const token &word = all[at], &next = all[at + 1];
  if (word.is("define")) return true;
  if (!word.is("machine") && !word.is("block") && !word.is("grid")) return false;
  const bool is_value = next.kind == token_kind::name || next.kind == token_kind::number ||
                        next.kind == token_kind::end || next.is(";");
  const bool is_call = next.is("(") && !word.is("machine");
  return next.first_of_line || is_value || (is_call && !all[after_bracket(all, at + 1)].is(";"));
}

function_head function_at(const tokens& all, std::size_t at) {
  std::size_t words = 0;
  bool has_type = false;
  while (true) {
    if (at + 1 >= all.size()) return {};
    const token& one = all[at];
    const bool is_called = one.kind == token_kind::name && all[at + 1].is("(");
    if (is_called && words > 0 && !is_one_of(one, headed) && !is_one_of(one, attributes)) break;
    if (is_called && is_one_of(one, attributes)) {
      at = after_bracket(all, at + 1) - 1;
    } else if (one.is("<")) {
      while (at + 1 < all.size() && !is_one_of(all[at], ends_of_template)) ++at;
      if (!all[at].is(">")) return {};
    } else if (is_called ||
               !(one.kind == token_kind::name || one.text == "\"C\"" || is_one_of(one, in_types))) {
      return {};
    } else {
      // `__device__ float *p` of the notation ends with its line.
      if (has_type && one.first_of_line && is_one_of(one, specifiers)) return {};
      has_type = has_type || (one.kind == token_kind::name && !is_one_of(one, specifiers));
      ++words;
    }
    ++at;
  }
  function_head result{at, 0, 0};
  std::size_t next = after_bracket(all, at + 1);
  while (next + 1 < all.size() && all[next].kind == token_kind::name && !all[next].first_of_line)
    ++next;  // const, noexcept
  if (all[next].is("{")) {
    result.body = next;
    result.end = after_bracket(all, next);
  } else if (all[next].is(";")) {
    result.end = next + 1;
  } else {
    return {};
  }
  return result;
}

}  // namespace command_line
