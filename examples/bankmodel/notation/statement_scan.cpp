// SPDX-License-Identifier: MIT
#include "statement_scan.hpp"

#include <algorithm>
#include <iterator>

namespace command_line {

namespace {

using tokens = std::vector<token>;

template <std::size_t Count>
bool is_one_of(const token& word, const std::string_view (&words)[Count]) {
  return std::any_of(std::begin(words), std::end(words),
                     [&](std::string_view candidate) { return word.is(candidate); });
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

std::size_t end_of_simple(const tokens& stream, std::size_t position) {
  const std::size_t first = position;
  while (position + 1 < stream.size()) {
    const token& word = stream[position];
    if (word.is(";")) return position + 1;
    if (word.is("}") || (position > first && word.first_of_line && is_one_of(word, beginning)))
      return position;
    position = word.is("(") || word.is("[") || word.is("{") ? after_bracket(stream, position)
                                                            : position + 1;
  }
  return position;
}

}  // namespace

std::size_t after_bracket(const tokens& stream, std::size_t position) {
  int open = 0;
  for (; position + 1 < stream.size(); ++position) {
    const token& word = stream[position];
    if (word.is("(") || word.is("[") || word.is("{")) ++open;
    if ((word.is(")") || word.is("]") || word.is("}")) && --open <= 0) return position + 1;
  }
  return position;
}

std::size_t end_of_statement(const tokens& stream, std::size_t position) {
  for (; position + 1 < stream.size();) {
    const token& first = stream[position];
    if (first.is("{")) return after_bracket(stream, position);
    if (is_one_of(first, headed) && stream[position + 1].is("(")) {
      position = after_bracket(stream, position + 1);
      if (!first.is("if")) continue;
      const std::size_t branch_end = end_of_statement(stream, position);
      if (!stream[std::min(branch_end, stream.size() - 1)].is("else")) return branch_end;
      position = branch_end + 1;
    } else if (first.is("do")) {
      position = end_of_statement(stream, position + 1);
      return end_of_simple(stream, position);
    } else {
      return end_of_simple(stream, position);
    }
  }
  return position;
}

std::size_t end_of_head(const tokens& stream, std::size_t position) {
  return after_bracket(stream, std::min(position + 1, stream.size() - 1));
}

bool is_declared_in(const tokens& stream, std::size_t begin, std::size_t end,
                    std::string_view name) {
  for (std::size_t position = begin + 1; position < end; ++position) {
    const token& previous = stream[position - 1];
    const bool is_word = previous.is("return") || previous.is("else") || previous.is("case");
    if (stream[position].text == name && previous.kind == token_kind::name && !is_word) return true;
  }
  return false;
}

bool is_finished(const tokens& stream, std::size_t begin, std::size_t end) {
  return end > begin && (stream[end - 1].is(";") || stream[end - 1].is("}"));
}

std::size_t exit_of_loop(const tokens& stream, std::size_t begin, std::size_t end) {
  std::size_t inner = begin;  // the end of the loop within this one
  for (std::size_t position = begin + 1; position < end; ++position) {
    if (stream[position].is("return") || (stream[position].is("break") && position >= inner))
      return position;
    if (position >= inner && is_one_of(stream[position], loops))
      inner = end_of_statement(stream, position);
  }
  return end;
}

std::size_t continue_of_loop(const tokens& stream, std::size_t begin, std::size_t end) {
  std::size_t inner = begin;  // the end of the loop within the statement
  for (std::size_t position = begin; position < end; ++position) {
    if (position < inner) continue;
    if (stream[position].is("continue")) return position;
    if (is_one_of(stream[position], loops) && !stream[position].is("switch"))
      inner = end_of_statement(stream, position);
  }
  return end;
}

bool is_directive_at(const tokens& stream, std::size_t position) {
  const token &word = stream[position], &next = stream[position + 1];
  if (word.is("define")) return true;
  if (!word.is("machine") && !word.is("block") && !word.is("grid")) return false;
  const bool is_value = next.kind == token_kind::name || next.kind == token_kind::number ||
                        next.kind == token_kind::end || next.is(";");
  const bool is_call = next.is("(") && !word.is("machine");
  return next.first_of_line || is_value ||
         (is_call && !stream[after_bracket(stream, position + 1)].is(";"));
}

function_head function_at(const tokens& stream, std::size_t position) {
  std::size_t words = 0;
  bool has_type = false;
  while (true) {
    if (position + 1 >= stream.size()) return {};
    const token& word = stream[position];
    const bool is_called = word.kind == token_kind::name && stream[position + 1].is("(");
    if (is_called && words > 0 && !is_one_of(word, headed) && !is_one_of(word, attributes)) break;
    if (is_called && is_one_of(word, attributes)) {
      position = after_bracket(stream, position + 1) - 1;
    } else if (word.is("<")) {
      while (position + 1 < stream.size() && !is_one_of(stream[position], ends_of_template))
        ++position;
      if (!stream[position].is(">")) return {};
    } else if (is_called || !(word.kind == token_kind::name || word.text == "\"C\"" ||
                              is_one_of(word, in_types))) {
      return {};
    } else {
      // `__device__ float *p` of the notation ends with its line.
      if (has_type && word.first_of_line && is_one_of(word, specifiers)) return {};
      has_type = has_type || (word.kind == token_kind::name && !is_one_of(word, specifiers));
      ++words;
    }
    ++position;
  }
  function_head result{position, 0, 0};
  std::size_t next = after_bracket(stream, position + 1);
  while (next + 1 < stream.size() && stream[next].kind == token_kind::name &&
         !stream[next].first_of_line)
    ++next;  // const, noexcept
  if (stream[next].is("{")) {
    result.body = next;
    result.end = after_bracket(stream, next);
  } else if (stream[next].is(";")) {
    result.end = next + 1;
  } else {
    return {};
  }
  return result;
}

}  // namespace command_line
