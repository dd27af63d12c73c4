// SPDX-License-Identifier: MIT
#include "kernel_table.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>

#include "../../known_machines.hpp"
#include "../../table.hpp"
#include "../../utf8.hpp"

namespace compiled {

using command_line::kernel_row;
using command_line::row;

namespace {

std::uint64_t most_conflicts(const page& kernel_page) {
  return kernel_page.costs.cost.conflicts() +
         (kernel_page.costs.maximum - kernel_page.costs.minimum);
}

std::uint64_t more_transactions(const page& kernel_page) {
  return kernel_page.costs.traffic.transactions - kernel_page.costs.traffic.ideal +
         (kernel_page.costs.bounded_traffic.maximum - kernel_page.costs.bounded_traffic.minimum);
}

// "13, 32-way": the access with the most conflicts.
std::string worst_line(const page& kernel_page) {
  const priced_access* worst = nullptr;
  for (const priced_access& entry : kernel_page.costs.shared)
    if (worst == nullptr || most_excessive(entry) > most_excessive(*worst)) worst = &entry;
  if (worst == nullptr || most_excessive(*worst) == 0) return "";
  const std::string line =
      worst->first->location.line == 0 ? "?" : std::to_string(worst->first->location.line);
  return worst->cost.degree > 1 ? joined(line, ", ", worst->cost.degree, "-way") : line;
}

// Of what is known and of what data decide about.
std::string sum_text(std::uint64_t known, std::uint64_t minimum, std::uint64_t maximum) {
  return range_text(known + minimum, known + maximum);
}

}  // namespace

bool is_within_bounds(const priced& costs) {
  const bool is_bounded_shared =
      !costs.is_partial_shared || (costs.maximum > 0 && !costs.is_unbounded);
  const bool is_bounded_global = !costs.is_partial_global ||
                                 (costs.bounded_traffic.maximum > 0 && !costs.is_unbounded_traffic);
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

bool has_something_to_gain(const page& kernel_page) {
  return most_conflicts(kernel_page) > 0 || more_transactions(kernel_page) > 0 ||
         kernel_page.costs.is_partial_shared || kernel_page.costs.is_partial_global;
}

std::vector<kernel_row> rows_of_kernels(const std::vector<page>& pages, const std::string& file) {
  const bool has_machines = std::ranges::any_of(pages, [&](const page& candidate) {
    return command_line::shown_name(candidate.machine) !=
           command_line::shown_name(pages[0].machine);
  });
  std::vector<kernel_row> result;
  for (const page& kernel_page : pages) {
    const priced& costs = kernel_page.costs;
    const place& definition = kernel_page.kernel->definition;
    const std::string number = definition.line == 0 ? "" : std::to_string(definition.line);
    std::string name = command_line::printable(kernel_page.kernel->shown_name());
    if (!file.empty())
      name = joined(path_from_here(is_source(file) && definition.file >= 0
                                       ? file_of(*kernel_page.kernel, definition)
                                       : file),
                    number.empty() ? "" : ":", number, "  ", name);
    if (has_machines) name += joined(" on ", command_line::shown_name(kernel_page.machine));
    name += text_of_arms(kernel_page.assumed);
    if (!kernel_page.assumed.empty()) name += " *";
    if (!is_within_bounds(costs))
      name += " (in part)";
    else if (costs.is_partial_shared || costs.is_partial_global)
      name += " (data decide)";
    result.push_back({most_conflicts(kernel_page),
                      more_transactions(kernel_page),
                      {file.empty() ? number : "",
                       name,
                       {command_line::option_text(kernel_page.settings.block),
                        sum_text(costs.cost.wavefronts, costs.minimum, costs.maximum),
                        bm::grouped(costs.cost.ideal + costs.minimum), worst_line(kernel_page),
                        sum_text(costs.traffic.transactions, costs.bounded_traffic.minimum,
                                 costs.bounded_traffic.maximum),
                        bm::grouped(costs.traffic.ideal + costs.bounded_traffic.minimum)}},
                      !kernel_page.assumed.empty()});
  }
  return result;
}

std::string text_of_kernels(std::vector<kernel_row> rows, const std::string& heading,
                            const command_line::text_shape& shape) {
  std::ranges::stable_sort(rows, [](const kernel_row& left, const kernel_row& right) {
    if (left.conflicts != right.conflicts) return left.conflicts > right.conflicts;
    return left.transactions > right.transactions;
  });
  std::vector<row> shown = {
      {"line", "kernel", {"block", "wavefronts", "ideal", "worst line", "transactions", "ideal"}}};
  for (const kernel_row& entry : rows) shown.push_back(entry.shown);
  std::string result = joined(heading, ", one block of each kernel:\n",
                              command_line::printed(shown, 0, shape.is_terminal ? shape.width : 0));
  if (std::ranges::any_of(rows, [](const auto& candidate) { return candidate.is_assumed; }))
    result += "* with assumptions, which the kernel's own table names\n";
  return result;
}

}  // namespace compiled
