// SPDX-License-Identifier: MIT
#include "annotated.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>

#include "../../source.hpp"
#include "issued_column.hpp"

namespace compiled {

using command_line::joined;

namespace {

using costs_of_lines = std::map<int, line_cost>;

// By the file's number; -1 if it is unknown.
std::map<int, costs_of_lines> costs_by_file(const page& of) {
  std::map<int, costs_of_lines> result;
  const auto at = [&](const priced_access& one) -> line_cost& {
    const place& where = one.first->where;
    const bool is_known = !file_of(*of.kernel, where).empty() && where.line > 0;
    line_cost& to = result[is_known ? where.file : -1][is_known ? where.line : 0];
    to.is_partial = to.is_partial || one.is_partial;
    return to;
  };
  for (const priced_access& one : of.costs.shared) {
    line_cost& to = at(one);
    to.shared.push_back(&one);
    to.cost = to.cost + one.cost;
    to.data.add(one);
  }
  for (const priced_access& one : of.costs.global) {
    line_cost& to = at(one);
    to.global.push_back(&one);
    to.traffic = to.traffic + one.traffic;
    to.data_in_global.add(one);
  }
  return result;
}

}  // namespace

std::vector<annotated_part> annotated(const page& of, source_lines& lines) {
  std::vector<annotated_part> result;
  for (const auto& [number, costs] : costs_by_file(of)) {
    const std::string file = number < 0 ? "" : of.kernel->files[static_cast<std::size_t>(number)];
    const std::vector<line_range> functions =
        file.empty() ? std::vector<line_range>{} : functions_of(lines.all(file));
    for (const auto& [line, cost] : costs) {
      const auto holds = [at = line](const line_range& one) {
        return one.first <= at && at <= one.last;
      };
      const bool is_new =
          result.empty() || result.back().file != file || !holds(result.back().lines);
      if (is_new) {
        const auto function = std::find_if(functions.begin(), functions.end(), holds);
        // A kernel file is one part.
        const line_range around = of.issued_by == issued_source::none
                                      ? line_range{1, static_cast<int>(lines.all(file).size())}
                                  : function == functions.end() ? line_range{line, line}
                                                                : *function;
        result.push_back({file, around, {}});
      }
      result.back().costs[line] = cost;
    }
  }
  return result;
}

namespace {

// The fewest that data allow are the ideal of these requests.
std::string margin(std::uint64_t known, std::uint64_t ideal, const bounded_cost& data) {
  return joined(range_text(known + data.least, known + data.most), " / ",
                bm::grouped(ideal + data.least));
}

}  // namespace

std::string shared_margin(const line_cost& of) {
  if (of.shared.empty()) return {};
  return margin(of.cost.wavefronts, of.cost.ideal, of.data);
}

std::string global_margin(const line_cost& of) {
  if (of.global.empty()) return {};
  return margin(of.traffic.transactions, of.traffic.ideal, of.data_in_global);
}

std::string meaning_of_margins(const page& of) {
  return joined("Each cost is followed by its ideal; ! marks more than that, ? a count in part.",
                has_issued_column(of) ? " Costs are of the accesses as written; the tables of "
                                        "--format text have them as issued too."
                                      : "");
}

}  // namespace compiled
