// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx_reader.hpp"

// The words of PTX text.
namespace compiled {

enum class ptx_kind : std::uint8_t { end, word, number, floating, string, symbol };

struct ptx_token {
  ptx_kind kind = ptx_kind::end;
  std::string_view text;    // of a string: without its quotes
  std::uint64_t value = 0;  // of a number: with its bits; of 0f and 0d: those of the number
  int line = 0, column = 0;

  bool is(std::string_view expected) const {
    return (kind == ptx_kind::symbol || kind == ptx_kind::word) && text == expected;
  }
};

// Error (ptx_error): a string or a comment that does not end; a character that PTX does not have.
std::vector<ptx_token> ptx_tokens(std::string_view text);

// The parts of an instruction's name: "ld", "global", "v4", "f32".
std::vector<std::string_view> dotted_parts(std::string_view name);

}  // namespace compiled
