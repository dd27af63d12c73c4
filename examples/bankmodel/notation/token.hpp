// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "../source.hpp"

// A kernel's text as words, numbers and symbols.
namespace command_line {

enum class token_kind : unsigned char { end, name, number, real, symbol };

struct token {
  token_kind kind = token_kind::end;
  std::string_view text;  // points into the source
  place location;
  long long value = 0;        // of a number
  bool first_of_line = true;  // ignoring comments
  bool is_replaced = false;   // it comes from the macro that is at its place

  bool is(std::string_view word) const { return kind != token_kind::number && text == word; }
};

// Returns all tokens; the last one is the end. Comments are `#`, `//` and `/* */`; a line that
// begins with `#define` is not a comment. Numbers are C's: 12, 0x1f, 017, 0b11, with suffixes;
// a real number is a word.
std::vector<token> tokens_of(const source& input);

}  // namespace command_line
