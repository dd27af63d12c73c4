// SPDX-License-Identifier: MIT
#include "source.hpp"

#include <algorithm>
#include <vector>

namespace command_line {

namespace {

bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }
bool is_plain(char byte) { return static_cast<unsigned char>(byte) >= 0x20 && byte != 0x7f; }

// The edit distance of two words: letters to add, remove or exchange.
std::size_t edits(std::string_view word, std::string_view target) {
  std::vector<std::size_t> row(target.size() + 1);
  for (std::size_t column = 0; column <= target.size(); ++column) row[column] = column;
  for (std::size_t a = 0; a < word.size(); ++a) {
    std::size_t diagonal = row[0];
    row[0] = a + 1;
    for (std::size_t b = 0; b < target.size(); ++b) {
      const std::size_t exchanged = diagonal + (word[a] == target[b] ? 0 : 1);
      diagonal = row[b + 1];
      row[b + 1] = std::min({exchanged, row[b] + 1, diagonal + 1});
    }
  }
  return row[target.size()];
}

}  // namespace

int line_number(const source& input, std::size_t offset) {
  const auto end =
      input.text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, input.text.size()));
  return 1 + static_cast<int>(std::count(input.text.begin(), end, '\n'));
}

int column_number(const source& input, std::size_t offset) {
  offset = std::min(offset, input.text.size());
  int column = 1;
  for (; offset > 0 && input.text[offset - 1] != '\n'; --offset)
    if (begins_character(input.text[offset - 1])) ++column;
  return column;
}

std::string text(const source& input, const refusal& reason) {
  const std::size_t offset = std::min(reason.location.first, input.text.size());
  const std::string_view content = input.text;
  const std::size_t first = offset == 0 ? 0 : content.rfind('\n', offset - 1) + 1;  // npos + 1 is 0
  const std::size_t last = std::min(content.find('\n', offset), content.size());

  // For a long line, the part around the place.
  constexpr std::size_t lead = 70, width = 110;
  std::size_t begin = offset - first > lead ? offset - lead : first;
  while (begin > first && !begins_character(content[begin])) --begin;
  std::size_t end = last - begin > width ? begin + width : last;
  while (end < last && !begins_character(content[end])) ++end;

  std::string shown, marks;
  for (std::size_t position = begin; position < end; ++position) {
    const char byte = content[position];
    if (byte == '\r') continue;
    shown += byte == '\t' || is_plain(byte) ? byte : '?';
    if (!begins_character(byte)) continue;
    if (position < offset)
      marks += byte == '\t' ? '\t' : ' ';
    else if (position < offset + std::max<std::size_t>(reason.location.size, 1))
      marks += position == offset ? '^' : '~';
  }
  if (marks.find('^') == std::string::npos) marks += '^';  // after the line's last character
  return joined(input.name, ":", line_number(input, offset), ":", column_number(input, offset),
                ": error: ", reason.wrong, reason.right.empty() ? "" : "; ", reason.right, "\n  ",
                shown, "\n  ", marks, "\n");
}

std::string text_without_place(const refusal& reason) {
  return joined("bankmodel: error: ", reason.wrong, reason.right.empty() ? "" : "; ", reason.right,
                "\n");
}

void nearest_word::offer(std::string_view word) {
  if (word_.size() < 2 || word_.size() > 40 || word.size() > 40) return;
  const std::size_t distance = edits(word_, word);
  if (distance > (word_.size() + 2) / 3 || (!nearest_.empty() && distance >= distance_)) return;
  nearest_ = word;
  distance_ = distance;
}

std::string nearest_word::question(std::string_view otherwise) const {
  return nearest_.empty() ? std::string(otherwise) : joined("did you mean ", nearest_, "?");
}

}  // namespace command_line
