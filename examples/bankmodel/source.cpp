// SPDX-License-Identifier: MIT
#include "source.hpp"

#include <algorithm>
#include <vector>

namespace command_line {

namespace {

bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }
bool is_plain(char byte) { return static_cast<unsigned char>(byte) >= 0x20 && byte != 0x7f; }

// The edit distance of two words: letters to add, remove or exchange.
std::size_t edits(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  for (std::size_t at = 0; at <= to.size(); ++at) row[at] = at;
  for (std::size_t a = 0; a < from.size(); ++a) {
    std::size_t diagonal = row[0];
    row[0] = a + 1;
    for (std::size_t b = 0; b < to.size(); ++b) {
      const std::size_t exchanged = diagonal + (from[a] == to[b] ? 0 : 1);
      diagonal = row[b + 1];
      row[b + 1] = std::min({exchanged, row[b] + 1, diagonal + 1});
    }
  }
  return row[to.size()];
}

}  // namespace

int line_number(const source& of, std::size_t at) {
  const auto end = of.text.begin() + static_cast<std::ptrdiff_t>(std::min(at, of.text.size()));
  return 1 + static_cast<int>(std::count(of.text.begin(), end, '\n'));
}

int column_number(const source& of, std::size_t at) {
  at = std::min(at, of.text.size());
  int column = 1;
  for (; at > 0 && of.text[at - 1] != '\n'; --at)
    if (begins_character(of.text[at - 1])) ++column;
  return column;
}

std::string text(const source& of, const refusal& why) {
  const std::size_t at = std::min(why.where.first, of.text.size());
  const std::string_view all = of.text;
  const std::size_t first = at == 0 ? 0 : all.rfind('\n', at - 1) + 1;  // npos + 1 is 0
  const std::size_t last = std::min(all.find('\n', at), all.size());

  // For a long line, the part around the place.
  constexpr std::size_t before = 70, width = 110;
  std::size_t from = at - first > before ? at - before : first;
  while (from > first && !begins_character(all[from])) --from;
  std::size_t to = last - from > width ? from + width : last;
  while (to < last && !begins_character(all[to])) ++to;

  std::string shown, marks;
  for (std::size_t letter = from; letter < to; ++letter) {
    const char byte = all[letter];
    if (byte == '\r') continue;
    shown += byte == '\t' || is_plain(byte) ? byte : '?';
    if (!begins_character(byte)) continue;
    if (letter < at)
      marks += byte == '\t' ? '\t' : ' ';
    else if (letter < at + std::max<std::size_t>(why.where.size, 1))
      marks += letter == at ? '^' : '~';
  }
  if (marks.find('^') == std::string::npos) marks += '^';  // after the line's last character
  return joined(of.name, ":", line_number(of, at), ":", column_number(of, at),
                ": error: ", why.wrong, why.right.empty() ? "" : "; ", why.right, "\n  ", shown,
                "\n  ", marks, "\n");
}

std::string text_without_place(const refusal& why) {
  return joined("bankmodel: error: ", why.wrong, why.right.empty() ? "" : "; ", why.right, "\n");
}

void nearest_word::offer(std::string_view word) {
  if (to_.size() < 2 || to_.size() > 40 || word.size() > 40) return;
  const std::size_t distance = edits(to_, word);
  if (distance > (to_.size() + 2) / 3 || (!nearest_.empty() && distance >= distance_)) return;
  nearest_ = word;
  distance_ = distance;
}

std::string nearest_word::question(std::string_view otherwise) const {
  return nearest_.empty() ? std::string(otherwise) : joined("did you mean ", nearest_, "?");
}

}  // namespace command_line
