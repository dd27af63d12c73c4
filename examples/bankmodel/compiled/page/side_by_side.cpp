// SPDX-License-Identifier: MIT
#include "side_by_side.hpp"

#include <bankmodel/report.hpp>
#include <map>
#include <tuple>

#include "../../known_machines.hpp"
#include "../../table.hpp"

namespace compiled {

namespace {

// What is the same access on machines for which the source is read again.
using access_on_machines = std::tuple<bool, int, int, std::string, std::string>;

access_on_machines access_of_row(const page& kernel_page, const priced_access& entry) {
  const recorded_access& access = *entry.first;
  return {access.is_global, access.location.line, access.location.column,
          verb_of(access.memory.operation), array_name(*kernel_page.kernel, access)};
}

std::string cell_of(std::uint64_t known, std::uint64_t minimum, std::uint64_t maximum, int degree) {
  return joined(range_text(known + minimum, known + maximum),
                degree > 1 ? joined(" (", degree, "-way)") : "");
}

std::string cell_of(const priced_access& entry) {
  return entry.first->is_global
             ? cell_of(entry.traffic.transactions, entry.minimum, entry.maximum, 0)
             : cell_of(entry.cost.wavefronts, entry.minimum, entry.maximum, entry.cost.degree);
}

std::string sum_cell(const page& kernel_page, bool is_global) {
  const priced& costs = kernel_page.costs;
  return is_global
             ? cell_of(costs.traffic.transactions, costs.bounded_traffic.minimum,
                       costs.bounded_traffic.maximum, 0)
             : cell_of(costs.cost.wavefronts, costs.minimum, costs.maximum, costs.cost.degree);
}

}  // namespace

// In the order of the first machine that has each access.
std::vector<command_line::row> rows_side_by_side(const std::vector<const page*>& pages,
                                                 bool is_global) {
  std::vector<command_line::row> rows = {
      {"line", is_global ? "transactions of global memory" : "wavefronts of shared memory", {}}};
  std::map<access_on_machines, std::size_t> row_of;
  for (std::size_t column = 0; column < pages.size(); ++column) {
    const page& kernel_page = *pages[column];
    rows[0].cell.push_back(command_line::shown_name(kernel_page.machine));
    for (const priced_access& entry :
         is_global ? kernel_page.costs.global : kernel_page.costs.shared) {
      const access_on_machines key = access_of_row(kernel_page, entry);
      if (row_of.emplace(key, rows.size()).second) {
        const int line = entry.first->location.line;
        const std::string array = array_name(*kernel_page.kernel, *entry.first);
        rows.push_back(
            {line == 0 ? "?" : std::to_string(line),
             joined(verb_of(entry.first->memory.operation), array.empty() ? "" : " ", array),
             command_line::cells(pages.size(), "-")});
      }
      std::string& cell = rows[row_of[key]].cell[column];
      // Of two widths at one place, each.
      cell = cell == "-" ? cell_of(entry) : joined(cell, ", ", cell_of(entry));
    }
  }
  if (rows.size() == 1) return {};
  command_line::row& sum = rows.emplace_back();
  sum.text = "the whole kernel";
  for (const page* const kernel_page : pages) sum.cell.push_back(sum_cell(*kernel_page, is_global));
  return rows;
}

std::string text_side_by_side(const std::vector<const page*>& pages,
                              const command_line::text_shape& shape) {
  if (pages.size() < 2) return {};
  std::string result;
  for (const bool is_global : {false, true}) {
    const std::vector<command_line::row> rows = rows_side_by_side(pages, is_global);
    if (rows.empty()) continue;
    const std::string table = command_line::printed(rows, 0);
    if (table.find('\n') > shape.width) return {};
    result += joined("\n", table);
  }
  return result;
}

}  // namespace compiled
