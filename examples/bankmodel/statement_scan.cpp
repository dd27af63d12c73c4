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
// Words that begin a statement of the notation: a new line without a semicolon before it.
constexpr std::string_view beginning[] = {"load",   "store", "atomic", "for",     "if",
                                          "shared", "block", "grid",   "machine", "define"};
constexpr std::string_view assigning[] = {"=",  "+=", "-=", "*=",  "/=", "%=",
                                          "&=", "|=", "^=", "<<=", ">>=", "++", "--"};

// The token after the bracket that closes the one at `at`.
std::size_t after_bracket(const tokens& all, std::size_t at) {
  int open = 0;
  for (; at + 1 < all.size(); ++at) {
    const token& one = all[at];
    if (one.is("(") || one.is("[") || one.is("{")) ++open;
    if ((one.is(")") || one.is("]") || one.is("}")) && --open <= 0) return at + 1;
  }
  return at;
}

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

// True if `at` is an argument alone, `f(x)` or `f(y, x)`, of a function that may take a reference.
bool is_argument(const tokens& all, std::size_t begin, std::size_t at) {
  if (at <= begin + 1 || at + 1 >= all.size()) return false;
  if (!all[at - 1].is("(") && !all[at - 1].is(",")) return false;
  return all[at + 1].is(")") || all[at + 1].is(",");
}

}  // namespace

std::size_t end_of_statement(const tokens& all, std::size_t at) {
  for (; at + 1 < all.size(); ) {
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

bool is_finished(const tokens& all, std::size_t begin, std::size_t end) {
  return end > begin && (all[end - 1].is(";") || all[end - 1].is("}"));
}

tokens assigned_names(const tokens& all, std::size_t begin, std::size_t end) {
  tokens result;
  for (std::size_t at = begin; at < end; ++at) {
    if (all[at].kind != token_kind::name) continue;
    const bool is_member = at > begin && (all[at - 1].is(".") || all[at - 1].is("->"));
    const bool after_step = at > begin && (all[at - 1].is("++") || all[at - 1].is("--") ||
                                           all[at - 1].is("&"));
    if (!is_member && (is_one_of(all[at + 1], assigning) || after_step || is_argument(all, begin, at)))
      result.push_back(all[at]);
  }
  return result;
}

std::size_t exit_of_loop(const tokens& all, std::size_t begin, std::size_t end) {
  std::size_t inner = begin;  // the end of the loop within this one
  for (std::size_t at = begin + 1; at < end; ++at) {
    if (all[at].is("return") || (all[at].is("break") && at >= inner)) return at;
    if (at >= inner && is_one_of(all[at], loops)) inner = end_of_statement(all, at);
  }
  return end;
}

}  // namespace command_line
