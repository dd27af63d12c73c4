// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bankmodel/report.hpp>

#include "../../table.hpp"
#include "../../utf8.hpp"
#include "annotated.hpp"
#include "formats.hpp"

namespace compiled {

using command_line::right;

namespace {

struct margin_row {
  std::string mark, shared, global, line, text;
};

// '!' before a line that takes more than its ideal, '?' if some of its requests are unknown.
std::string mark_of(const line_cost& line) {
  return joined(line.is_over_ideal() ? "!" : " ", line.is_partial ? "?" : " ");
}

margin_row row_of_line(const annotated_part& part, int line, source_lines& lines) {
  margin_row result = {"  ", "", "", std::to_string(line),
                       command_line::printable(lines.line(part.file, line))};
  if (part.file.empty()) result.line = "-", result.text = "(the line is unknown)";
  const auto cost = part.costs.find(line);
  if (cost == part.costs.end()) return result;
  result.mark = mark_of(cost->second);
  result.shared = shared_margin(cost->second);
  result.global = global_margin(cost->second);
  return result;
}

margin_row sum_row(const page& kernel_page, const bm::cost& cost, const bm::memory_traffic& traffic,
                   const std::string& text) {
  line_cost sum;
  sum.cost = cost;
  sum.traffic = traffic;
  sum.is_partial = kernel_page.costs.is_partial_shared || kernel_page.costs.is_partial_global;
  for (const priced_access& access : kernel_page.costs.shared) sum.shared.push_back(&access);
  for (const priced_access& access : kernel_page.costs.global) sum.global.push_back(&access);
  return {mark_of(sum), shared_margin(sum), global_margin(sum), "", text};
}

// The width of a column, which is left out if no row has anything in it.
std::size_t width_of(const std::vector<margin_row>& rows, std::string margin_row::* cell,
                     std::string_view head) {
  std::size_t result = 0;
  for (const margin_row& row : rows) result = std::max(result, (row.*cell).size());
  return result == 0 ? 0 : std::max(result, head.size());
}

// Lines are cut to the width of a terminal, and whole in a file.
std::string printed(const std::vector<margin_row>& rows, const command_line::text_shape& shape) {
  const std::size_t shared = width_of(rows, &margin_row::shared, "wavefronts"),
                    global = width_of(rows, &margin_row::global, "transactions"),
                    line = width_of(rows, &margin_row::line, "line");
  const auto printed_row = [&](const margin_row& row) {
    std::string result = row.mark;
    if (shared != 0) result += joined(" ", right(row.shared, shared));
    if (global != 0) result += joined("  ", right(row.global, global));
    result += joined("  ", right(row.line, line), "  ");
    constexpr std::size_t minimum = 20;
    const std::size_t room = std::max(shape.width, result.size() + minimum) - result.size();
    result += shape.is_terminal ? command_line::cut(row.text, room) : row.text;
    return result.substr(0, result.find_last_not_of(' ') + 1) + "\n";
  };
  std::string result = printed_row({"  ", "wavefronts", "transactions", "line", ""});
  for (const margin_row& item : rows)
    // A row without a line number is the name of a file, or empty.
    result += item.line.empty() && item.mark.empty() ? item.text + "\n" : printed_row(item);
  return result;
}

std::string page_source(const page& kernel_page, source_lines& lines,
                        const command_line::text_shape& shape) {
  std::string result = heading_of(kernel_page, shape.width) + "\n";
  std::vector<margin_row> rows;
  std::string unread;
  for (const annotated_part& part : annotated(kernel_page, lines)) {
    rows.push_back({"", "", "", "", ""});
    if (!part.file.empty())
      rows.push_back(
          {"", "", "", "",
           joined(command_line::printable(lines.path(part.file)), ":", part.lines.first)});
    if (!part.file.empty() && lines.text_lines(part.file).empty() &&
        unread.find(part.file) == std::string::npos)
      unread += joined("note: ", command_line::printable(part.file),
                       " cannot be read; run this from the folder in which it was compiled\n");
    for (int line = part.lines.first; line <= part.lines.last; ++line)
      rows.push_back(row_of_line(part, line, lines));
  }
  if (rows.empty()) return result + text_without_access(kernel_page) + "\n";
  rows.push_back({"", "", "", "", ""});
  rows.push_back(
      sum_row(kernel_page, kernel_page.costs.cost, kernel_page.costs.traffic, "the whole kernel"));
  if (const auto& grid = kernel_page.costs.of_grid)
    rows.push_back(sum_row(kernel_page, grid->cost, grid->traffic,
                           joined("all ", bm::grouped(grid->blocks), " blocks")));
  result += printed(rows, shape);
  result += "\n" + command_line::wrapped(meaning_of_margins(kernel_page), "", shape.width);
  for (const std::string& note : notes_with_plan(kernel_page))
    unread += command_line::wrapped(joined("note: ", note), "", shape.width);
  return result + unread;
}

}  // namespace

std::string as_source(const std::vector<page>& pages, source_lines& lines,
                      const command_line::text_shape& shape) {
  std::string result;
  for (const page& kernel_page : pages)
    result += joined(result.empty() ? "" : "\n\n", page_source(kernel_page, lines, shape));
  return result;
}

}  // namespace compiled
