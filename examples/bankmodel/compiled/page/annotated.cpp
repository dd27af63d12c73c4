// SPDX-License-Identifier: MIT
#include "annotated.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>

#include "issued_column.hpp"

namespace compiled {

namespace {

using costs_of_lines = std::map<int, line_cost>;

// By the file's number; -1 if it is unknown.
std::map<int, costs_of_lines> costs_by_file(const page& kernel_page) {
  std::map<int, costs_of_lines> result;
  const auto line_of = [&](const priced_access& item) -> line_cost& {
    const place& location = item.first->location;
    const bool is_known = !file_of(*kernel_page.kernel, location).empty() && location.line > 0;
    line_cost& line = result[is_known ? location.file : -1][is_known ? location.line : 0];
    line.is_partial = line.is_partial || item.is_partial;
    return line;
  };
  for (const priced_access& access : kernel_page.costs.shared) {
    line_cost& line = line_of(access);
    line.shared.push_back(&access);
    line.cost = line.cost + access.cost;
    line.data.add(access);
  }
  for (const priced_access& access : kernel_page.costs.global) {
    line_cost& line = line_of(access);
    line.global.push_back(&access);
    line.traffic = line.traffic + access.traffic;
    line.data_in_global.add(access);
  }
  return result;
}

}  // namespace

std::vector<annotated_part> annotated(const page& kernel_page, source_lines& lines) {
  std::vector<annotated_part> result;
  for (const auto& [number, costs] : costs_by_file(kernel_page)) {
    const std::string file = number < 0 ? "" : kernel_page.kernel->files[slot(number)];
    const std::vector<line_range> functions =
        file.empty() ? std::vector<line_range>{} : functions_of(lines.text_lines(file));
    for (const auto& [line, cost] : costs) {
      const auto holds = [wanted = line](const line_range& candidate) {
        return candidate.first <= wanted && wanted <= candidate.last;
      };
      const bool is_new =
          result.empty() || result.back().file != file || !holds(result.back().lines);
      if (is_new) {
        const auto function = std::ranges::find_if(functions, holds);
        // A kernel file is one part.
        const line_range range =
            kernel_page.issued_by == issued_source::none
                ? line_range{1, static_cast<int>(lines.text_lines(file).size())}
            : function == functions.end() ? line_range{line, line}
                                          : *function;
        result.push_back({file, range, {}});
      }
      result.back().costs[line] = cost;
    }
  }
  return result;
}

namespace {

// The fewest that data allow are the ideal of these requests.
std::string margin(std::uint64_t known, std::uint64_t ideal, const bounded_cost& data) {
  return joined(range_text(known + data.minimum, known + data.maximum), " / ",
                bm::grouped(ideal + data.minimum));
}

}  // namespace

std::string shared_margin(const line_cost& line) {
  if (line.shared.empty()) return {};
  return margin(line.cost.wavefronts, line.cost.ideal, line.data);
}

std::string global_margin(const line_cost& line) {
  if (line.global.empty()) return {};
  return margin(line.traffic.transactions, line.traffic.ideal, line.data_in_global);
}

std::string meaning_of_margins(const page& kernel_page) {
  return joined("Each cost is followed by its ideal; ! marks more than that, ? a count in part.",
                has_issued_column(kernel_page)
                    ? " Costs are of the accesses as written; the tables of "
                      "--format text have them as issued too."
                    : "");
}

}  // namespace compiled
