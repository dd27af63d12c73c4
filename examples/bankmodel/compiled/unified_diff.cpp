// SPDX-License-Identifier: MIT
#include "unified_diff.hpp"

#include <algorithm>
#include <vector>

#include "../source.hpp"

namespace compiled {

using command_line::joined;

namespace {

// With their line ends; the last one may have none.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    result.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return result;
}

std::string marked(char mark, const std::string& line) {
  return joined(std::string(1, mark), line,
                line.back() == '\n' ? "" : "\n\\ No newline at end of file\n");
}

}  // namespace

std::string unified_diff(const std::string& file, const std::string& old_text,
                         const std::string& new_text) {
  const std::vector<std::string> old_lines = lines_of(old_text), new_lines = lines_of(new_text);
  constexpr std::size_t context = 3;
  const std::size_t count = old_lines.size();
  const auto next_change = [&](std::size_t start) {
    while (start < count && old_lines[start] == new_lines[start]) ++start;
    return start;
  };
  std::string hunks;
  for (std::size_t change = next_change(0); change < count;) {
    const std::size_t first = change < context ? 0 : change - context;
    std::size_t end = change;  // after the hunk's last line
    // Changes whose surroundings touch are in one hunk.
    for (; change < count && change <= end + context; change = next_change(change + 1))
      end = std::min(change + 1 + context, count);
    hunks +=
        joined("@@ -", first + 1, ",", end - first, " +", first + 1, ",", end - first, " @@\n");
    for (std::size_t hunk_line = first; hunk_line < end; ++hunk_line) {
      std::size_t same = hunk_line;
      while (same < end && old_lines[same] != new_lines[same]) ++same;
      for (std::size_t line = hunk_line; line < same; ++line) hunks += marked('-', old_lines[line]);
      for (std::size_t line = hunk_line; line < same; ++line) hunks += marked('+', new_lines[line]);
      if (same < end) hunks += marked(' ', old_lines[same]);
      hunk_line = same;
    }
  }
  if (hunks.empty()) return {};
  // A name with blanks ends at a tab.
  const std::string end = file.find_first_of(" \t") == std::string::npos ? "\n" : "\t\n";
  return joined("--- ", file, end, "+++ ", file, end, hunks);
}

}  // namespace compiled
