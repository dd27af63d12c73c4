// SPDX-License-Identifier: MIT
#pragma once

#include <bankmodel/global/memory_traffic.hpp>
#include <bankmodel/kernel/kernel.hpp>
#include <bankmodel/model/cost.hpp>
#include <string>
#include <string_view>
#include <vector>

// Tables and paragraphs for a terminal.
namespace command_line {

namespace bm = bankmodel;

// The text after as many blanks as it takes to be `width` characters, or before them.
std::string right(std::string_view text, std::size_t width);
std::string left(std::string_view text, std::size_t width);

inline constexpr std::size_t longest_text = 96;  // a longer access has a line of its own

using cells = std::vector<std::string>;  // of each row as many
struct row {
  std::string line, text;
  cells cell;
};
extern const cells shared_head, global_head;

row row_of(const std::string& line, const std::string& text, const bm::cost& cost);
row row_of(const std::string& line, const std::string& text, const bm::memory_traffic& traffic);

// The column of texts has `text_width` characters or more.
// `width`: that of the terminal, in which the lines stay if a column of 20 characters is left for
// texts; 0: not known.
std::string printed(const std::vector<row>& rows, std::size_t text_width, std::size_t width = 0);

// Lines that are longer than `width` are broken at blanks, and go on with as many blanks as the
// line began with, and two more. 0: none is.
std::string fitted(const std::string& lines, std::size_t width);

// 32 x 8 threads, 1 thread.
std::string text_of(const bm::block_dim& block);
// As --block takes it: 32x8, 256.
std::string option_text(const bm::block_dim& block);

// What has the same text, together, in the order of the first ones: "sm_80, sm_90".
struct named_text {
  std::string names, text;
  std::size_t first = 0;  // its number
};
std::vector<named_text> by_text(const std::vector<named_text>& texts);

// Breaks words into lines of at most `width` characters, unless a word is longer.
std::string wrapped(const std::string& text, const std::string& indent, std::size_t width);

}  // namespace command_line
