// SPDX-License-Identifier: MIT
#include "kernel_table.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>

#include "../../known_machines.hpp"
#include "../../table.hpp"
#include "../../utf8.hpp"

namespace compiled {

using command_line::joined;
using command_line::kernel_row;
using command_line::row;

namespace {

std::uint64_t most_conflicts(const page& of) {
  return of.costs.cost.conflicts() + (of.costs.most - of.costs.least);
}

std::uint64_t more_transactions(const page& of) {
  return of.costs.traffic.transactions - of.costs.traffic.ideal +
         (of.costs.bounded_traffic.most - of.costs.bounded_traffic.least);
}

// "13, 32-way": the access with the most conflicts.
std::string worst_line(const page& of) {
  const priced_access* worst = nullptr;
  for (const priced_access& one : of.costs.shared)
    if (worst == nullptr || most_excessive(one) > most_excessive(*worst)) worst = &one;
  if (worst == nullptr || most_excessive(*worst) == 0) return "";
  const std::string line =
      worst->first->where.line == 0 ? "?" : std::to_string(worst->first->where.line);
  return worst->cost.degree > 1 ? joined(line, ", ", worst->cost.degree, "-way") : line;
}

// Of what is known and of what data decide about.
std::string sum_text(std::uint64_t known, std::uint64_t least, std::uint64_t most) {
  return range_text(known + least, known + most);
}

}  // namespace

bool is_within_bounds(const priced& of) {
  const bool is_bounded_shared = !of.is_partial_shared || (of.most > 0 && !of.is_unbounded);
  const bool is_bounded_global =
      !of.is_partial_global || (of.bounded_traffic.most > 0 && !of.is_unbounded_traffic);
  return is_bounded_shared && is_bounded_global;
}

std::string text_of_arms(const std::vector<assumed_fact>& assumed) {
  std::string result;
  for (const assumed_fact& fact : assumed)
    if (fact.is_flag)
      result += joined(", ", fact.subject, " = ", fact.value);
    else if (fact.is_opposite)
      result += joined(", ", fact.subject, " ", fact.value);
  return result;
}

bool has_something_to_gain(const page& of) {
  return most_conflicts(of) > 0 || more_transactions(of) > 0 || of.costs.is_partial_shared ||
         of.costs.is_partial_global;
}

std::vector<kernel_row> rows_of_kernels(const std::vector<page>& pages, const std::string& file) {
  const bool has_machines = std::any_of(pages.begin(), pages.end(), [&](const page& one) {
    return command_line::shown_name(one.machine) != command_line::shown_name(pages[0].machine);
  });
  std::vector<kernel_row> result;
  for (const page& one : pages) {
    const priced& costs = one.costs;
    const place& definition = one.kernel->definition;
    const std::string number = definition.line == 0 ? "" : std::to_string(definition.line);
    std::string name = command_line::printable(one.kernel->shown_name());
    if (!file.empty())
      name = joined(
          path_from_here(is_source(file) && definition.file >= 0 ? file_of(*one.kernel, definition)
                                                                 : file),
          number.empty() ? "" : ":", number, "  ", name);
    if (has_machines) name += joined(" on ", command_line::shown_name(one.machine));
    name += text_of_arms(one.assumed);
    if (!one.assumed.empty()) name += " *";
    if (!is_within_bounds(costs))
      name += " (in part)";
    else if (costs.is_partial_shared || costs.is_partial_global)
      name += " (data decide)";
    result.push_back({most_conflicts(one),
                      more_transactions(one),
                      {file.empty() ? number : "",
                       name,
                       {command_line::option_text(one.how.block),
                        sum_text(costs.cost.wavefronts, costs.least, costs.most),
                        bm::grouped(costs.cost.ideal + costs.least), worst_line(one),
                        sum_text(costs.traffic.transactions, costs.bounded_traffic.least,
                                 costs.bounded_traffic.most),
                        bm::grouped(costs.traffic.ideal + costs.bounded_traffic.least)}},
                      !one.assumed.empty()});
  }
  return result;
}

std::string text_of_kernels(std::vector<kernel_row> rows, const std::string& heading,
                            const command_line::text_shape& shape) {
  std::stable_sort(rows.begin(), rows.end(), [](const kernel_row& left, const kernel_row& right) {
    if (left.conflicts != right.conflicts) return left.conflicts > right.conflicts;
    return left.transactions > right.transactions;
  });
  std::vector<row> shown = {
      {"line", "kernel", {"block", "wavefronts", "ideal", "worst line", "transactions", "ideal"}}};
  for (const kernel_row& one : rows) shown.push_back(one.shown);
  std::string result = joined(heading, ", one block of each kernel:\n",
                              command_line::printed(shown, 0, shape.is_terminal ? shape.width : 0));
  if (std::any_of(rows.begin(), rows.end(), [](const auto& one) { return one.is_assumed; }))
    result += "* with assumptions, which the kernel's own table names\n";
  return result;
}

}  // namespace compiled
