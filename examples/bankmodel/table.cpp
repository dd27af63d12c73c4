// SPDX-License-Identifier: MIT
#include "table.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>

#include "source.hpp"
#include "utf8.hpp"

namespace command_line {

const cells shared_head = {"requests", "wavefronts", "ideal", "conflicts", "worst"};
const cells global_head = {"requests", "transactions", "ideal", "bytes used", "bytes moved"};

std::string right(std::string_view text, std::size_t width) {
  return joined(std::string(width - std::min(width, length(text)), ' '), text);
}
std::string left(std::string_view text, std::size_t width) {
  return joined(text, std::string(width - std::min(width, length(text)), ' '));
}

row row_of(const std::string& line, const std::string& text, const bm::cost& cost) {
  return {line,
          text,
          {bm::grouped(cost.requests), bm::grouped(cost.wavefronts), bm::grouped(cost.ideal),
           bm::grouped(cost.conflicts()), cost.degree <= 1 ? "-" : joined(cost.degree, "-way")}};
}

row row_of(const std::string& line, const std::string& text, const bm::memory_traffic& traffic) {
  return {
      line,
      text,
      {bm::grouped(traffic.requests), bm::grouped(traffic.transactions), bm::grouped(traffic.ideal),
       bm::grouped(traffic.bytes_used), bm::grouped(traffic.bytes_moved)}};
}

namespace {

// A text in a column: all lines but the last are finished.
std::string broken(const std::string& text, std::size_t width) {
  std::string lines = wrapped(text, std::string(7, ' '), width);
  lines.pop_back();  // the newline
  const std::size_t last = lines.rfind('\n') == std::string::npos ? 0 : lines.rfind('\n') + 1;
  const std::string tail = left(lines.substr(last), 7 + width);
  return joined(lines.substr(0, last), tail).substr(7);
}

}  // namespace

namespace {

std::string extents(const bm::block_dim& block, const char* times) {
  std::string result = std::to_string(block.x);
  if (block.y > 1 || block.z > 1) result += joined(times, block.y);
  return block.z > 1 ? joined(result, times, block.z) : result;
}

}  // namespace

std::string text_of(const bm::block_dim& block) {
  return joined(extents(block, " x "), block.x * block.y * block.z == 1 ? " thread" : " threads");
}

std::string option_text(const bm::block_dim& block) { return extents(block, "x"); }

std::string printed(const std::vector<row>& rows, std::size_t text_width, std::size_t terminal) {
  std::vector<std::size_t> width;
  std::size_t total = 7;
  for (const row& line : rows) {
    if (length(line.text) <= longest_text) text_width = std::max(text_width, length(line.text));
    width.resize(std::max(width.size(), line.cell.size()));
    for (std::size_t column = 0; column < line.cell.size(); ++column)
      width[column] = std::max(width[column], line.cell[column].size());
  }
  for (const std::size_t size : width) total += 2 + size;
  std::size_t longest = longest_text;
  if (terminal != 0)
    longest = std::clamp<std::size_t>(terminal - std::min(terminal, total), 20, longest);
  text_width = std::min(text_width, longest);
  std::string result;
  for (const row& line : rows) {
    result += joined(right(line.line, 5), "  ");
    if (length(line.text) <= longest)
      result += left(line.text, text_width);
    else if (terminal == 0)
      result += joined(line.text, "\n", std::string(7 + text_width, ' '));
    else
      result += broken(line.text, text_width);
    for (std::size_t column = 0; column < line.cell.size(); ++column)
      result += joined("  ", right(line.cell[column], width[column]));
    result += "\n";
  }
  return result;
}

std::string fitted(const std::string& lines, std::size_t width) {
  if (width == 0) return lines;
  std::string result;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    const std::string line = lines.substr(begin, end - begin);
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    if (length(line) <= width) {
      result += joined(line, "\n");
    } else {
      const std::string first(indent, ' '), next(indent + 2, ' ');
      const std::string text =
          wrapped(line.substr(indent), next, width - std::min(width - 8, indent + 2));
      result += joined(first, text.substr(indent + 2));
    }
    begin = end + 1;
  }
  return result;
}

std::vector<named_text> by_text(const std::vector<named_text>& texts) {
  std::vector<named_text> result;
  for (std::size_t number = 0; number < texts.size(); ++number) {
    const auto same = std::ranges::find(result, texts[number].text, &named_text::text);
    if (same == result.end())
      result.push_back({texts[number].names, texts[number].text, number});
    else
      same->names += joined(", ", texts[number].names);
  }
  return result;
}

// Breaks words into lines of at most `longest` characters, unless a word is longer.
std::string wrapped(const std::string& text, const std::string& indent, std::size_t width) {
  std::string result, line;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!line.empty() && length(line) + 1 + length(word) > width) {
      result += joined(indent, line, "\n");
      line.clear();
    }
    line += joined(line.empty() ? "" : " ", word);
    begin = end + 1;
  }
  return joined(result, indent, line, "\n");
}

}  // namespace command_line
