// SPDX-License-Identifier: MIT
#include "unified_diff.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include "../common_names.hpp"

namespace compiled {

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

// A line of one of the texts, or of both.
struct diff_line {
  char mark;  // '-', '+' or ' '
  const std::string* text;
};

// The lines of both texts with the fewest that are in one of them alone: E. Myers, "An O(ND)
// Difference Algorithm and Its Variations", 1986, figure 2.
std::vector<diff_line> fewest_changes(const std::vector<std::string>& old_lines,
                                      const std::vector<std::string>& new_lines) {
  const auto old_count = static_cast<std::ptrdiff_t>(old_lines.size());
  const auto new_count = static_cast<std::ptrdiff_t>(new_lines.size());
  const auto old_line = [&](std::ptrdiff_t line) -> const std::string& {
    return old_lines[static_cast<std::size_t>(line)];
  };
  const auto new_line = [&](std::ptrdiff_t line) -> const std::string& {
    return new_lines[static_cast<std::size_t>(line)];
  };
  // By the lines of the old text less those of the new one, how many of the old text are passed
  // with so many changes; of each number of changes before too.
  using furthest = std::map<std::ptrdiff_t, std::ptrdiff_t>;
  std::vector<furthest> passed;
  const auto is_added = [](const furthest& before, std::ptrdiff_t diagonal,
                           std::ptrdiff_t changes) {
    return diagonal == -changes ||
           (diagonal != changes && before.at(diagonal - 1) < before.at(diagonal + 1));
  };
  furthest now = {{1, 0}};
  for (bool is_done = false; !is_done;) {
    passed.push_back(now);
    const auto changes = static_cast<std::ptrdiff_t>(passed.size()) - 1;
    for (std::ptrdiff_t diagonal = -changes; diagonal <= changes && !is_done; diagonal += 2) {
      std::ptrdiff_t line =
          is_added(now, diagonal, changes) ? now.at(diagonal + 1) : now.at(diagonal - 1) + 1;
      while (line < old_count && line - diagonal < new_count &&
             old_line(line) == new_line(line - diagonal))
        ++line;
      now[diagonal] = line;
      is_done = line >= old_count && line - diagonal >= new_count;
    }
  }
  std::vector<diff_line> result;  // from the end
  std::ptrdiff_t line = old_count, other = new_count;
  for (auto changes = static_cast<std::ptrdiff_t>(passed.size()) - 1; changes >= 0; --changes) {
    const furthest& before = passed[static_cast<std::size_t>(changes)];
    const bool adds = is_added(before, line - other, changes);
    const std::ptrdiff_t diagonal = line - other + (adds ? 1 : -1);
    const std::ptrdiff_t start = before.at(diagonal);
    while (line > std::max<std::ptrdiff_t>(adds ? start : start + 1, 0) && other > 0) {
      result.push_back({' ', &old_line(--line)});
      --other;
    }
    if (changes == 0) break;
    if (adds)
      result.push_back({'+', &new_line(--other)});
    else
      result.push_back({'-', &old_line(--line)});
  }
  std::ranges::reverse(result);
  return result;
}

// The removed lines before the added ones in each change.
void put_removed_first(std::vector<diff_line>& lines) {
  const auto is_of_both = [](const diff_line& line) { return line.mark == ' '; };
  for (auto first = lines.begin(); first != lines.end();) {
    first = std::find_if_not(first, lines.end(), is_of_both);
    const auto end = std::find_if(first, lines.end(), is_of_both);
    std::stable_partition(first, end, [](const diff_line& line) { return line.mark == '-'; });
    first = end;
  }
}

}  // namespace

std::string unified_diff(const std::string& file, const std::string& old_text,
                         const std::string& new_text) {
  const std::vector<std::string> old_lines = lines_of(old_text), new_lines = lines_of(new_text);
  std::vector<diff_line> lines = fewest_changes(old_lines, new_lines);
  put_removed_first(lines);
  constexpr std::size_t context = 3;
  const auto next_change = [&](std::size_t start) {
    while (start < lines.size() && lines[start].mark == ' ') ++start;
    return start;
  };
  std::string hunks;
  std::size_t line = 0, old_number = 1, new_number = 1;  // of `line`, and of its lines in the texts
  for (std::size_t change = next_change(0); change < lines.size();) {
    const std::size_t first = std::max(line, change < context ? 0 : change - context);
    old_number += first - line;
    new_number += first - line;
    // Changes whose surroundings touch are in one hunk.
    std::size_t end = change;  // after the hunk's last line
    for (; change < lines.size() && change <= end + context; change = next_change(change + 1))
      end = std::min(change + 1 + context, lines.size());
    std::string hunk;
    std::size_t removed = 0, added = 0, common = 0;
    for (line = first; line < end; ++line) {
      ++(lines[line].mark == '-' ? removed : lines[line].mark == '+' ? added : common);
      hunk += marked(lines[line].mark, *lines[line].text);
    }
    // An empty range begins at the line before it.
    const auto range = [&](std::size_t number, std::size_t count) {
      return count == 1 ? std::to_string(number)
                        : joined(number - (count == 0 ? 1 : 0), ",", count);
    };
    hunks += joined("@@ -", range(old_number, removed + common), " +",
                    range(new_number, added + common), " @@\n", hunk);
    old_number += removed + common;
    new_number += added + common;
  }
  if (hunks.empty()) return {};
  // A name with blanks ends at a tab.
  const std::string end = file.find_first_of(" \t") == std::string::npos ? "\n" : "\t\n";
  return joined("--- ", file, end, "+++ ", file, end, hunks);
}

}  // namespace compiled
