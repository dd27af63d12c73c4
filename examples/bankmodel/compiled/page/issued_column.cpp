// SPDX-License-Identifier: MIT
#include "issued_column.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>

#include "../../json.hpp"

namespace compiled {

std::string text_of(const std::set<int>& bytes, const char* separator) {
  std::string result;
  for (const int size : bytes) result += joined(result.empty() ? "" : separator, size);
  return result;
}

bool has_issued_column(const page& kernel_page, const std::vector<priced_access>& accesses) {
  return knows_issued(kernel_page) && std::ranges::any_of(accesses, [](const priced_access& entry) {
           return entry.issued.label != issued_label::estimate || !is_issued_as_written(entry);
         });
}

bool has_issued_column(const page& kernel_page) {
  return has_issued_column(kernel_page, kernel_page.costs.shared) ||
         has_issued_column(kernel_page, kernel_page.costs.global);
}

namespace {

// What the estimate is made of.
std::string basis_of(const page& kernel_page) {
  switch (kernel_page.issued_by) {
    case issued_source::passes:
      return ": LLVM's passes remove repeated and unused accesses, and nvcc's rules join those to "
             "consecutive addresses.";
    case issued_source::back_end:
      return joined(
          ": LLVM's passes remove repeated and unused accesses, and its back end joins "
          "those to consecutive addresses.");
    default: break;
  }
  return joined(": nvcc's rules join accesses to consecutive addresses.",
                kernel_page.not_issued.empty()
                    ? ""
                    : joined(" Repeated and unused accesses are counted too, "
                             "because ",
                             kernel_page.not_issued, "."));
}

}  // namespace

std::vector<std::string> issued_notes(const page& kernel_page) {
  if (kernel_page.costs.shared.empty() && kernel_page.costs.global.empty()) return {};
  if (!knows_issued(kernel_page)) {
    if (kernel_page.not_issued.empty()) return {};
    return {
        joined("As issued: not known, ", kernel_page.not_issued, "; all numbers are as written.")};
  }
  bool has_cubin = false;
  std::vector<std::string> differences;
  for (const std::vector<priced_access>* accesses :
       {&kernel_page.costs.shared, &kernel_page.costs.global})
    for (const priced_access& entry : *accesses) {
      const recorded_access& access = *entry.first;
      has_cubin = has_cubin || entry.issued.label != issued_label::estimate;
      if (entry.issued.difference.empty()) continue;
      const place line = {access.location.file, access.location.line, 0};
      const std::string text =
          joined(text_with_path(*kernel_page.kernel, line), ": ", entry.issued.difference);
      if (!includes(differences, text)) differences.push_back(text);
    }
  const bool is_same = !has_issued_column(kernel_page);
  std::vector<std::string> result = {
      joined("As issued: ", is_same ? "the same, " : "", "an estimate", basis_of(kernel_page))};
  if (kernel_page.issued_by == issued_source::back_end) {
    if (has_cubin)
      result[0] += joined(" The ", kernel_page.machine_code, " has these widths at each line",
                          differences.empty() ? "." : ", but for these.");
  } else if (has_cubin) {
    result[0] += joined(" The cubin has the same widths at each line",
                        differences.empty() ? "" : ", but for these", "; it does not show counts.");
  } else {
    result[0] += " --cubin FILE compares the widths.";
  }
  if (kernel_page.costs.has_merged_lines)
    result[0] += " An instruction that is made of several lines is in the row of the first.";
  const bm::cost& cost = kernel_page.costs.without_row.cost;
  const bm::memory_traffic& traffic = kernel_page.costs.without_row.traffic;
  if (cost.requests + traffic.requests > 0)
    result[0] += joined(" The totals have ",
                        bm::detail::counted_in_words(cost.requests + traffic.requests, "request"),
                        " more, of instructions whose line is not known.");
  append(result, differences);
  return result;
}

const char* name_of(issued_label label) {
  constexpr const char* names[] = {"estimate", "widths-confirmed", "widths-corrected", "differs"};
  return names[static_cast<std::size_t>(label)];
}

std::string bounds_json(const bounded_cost& bounds) {
  return bounds.maximum > 0
             ? joined(", \"least_more\": ", bounds.minimum, ", \"most_more\": ", bounds.maximum)
             : "";
}

std::string issued_json(const page& kernel_page, const priced_access& entry) {
  if (!knows_issued(kernel_page)) return {};
  const issued_instructions& issued = entry.issued;
  return joined(", \"issued\": {\"bytes\": [", text_of(issued.bytes, ", "), "], ",
                entry.first->is_global ? command_line::members(issued.traffic)
                                       : command_line::members(issued.cost),
                bounds_json(issued.bounded), ", \"status\": \"", name_of(issued.label), "\"",
                issued.difference.empty()
                    ? ""
                    : joined(", \"difference\": ", command_line::json_string(issued.difference)),
                "}");
}

std::string issued_csv(const page& kernel_page, const priced_access& entry) {
  if (!knows_issued(kernel_page)) return ",,,,,";
  const issued_instructions& issued = entry.issued;
  return joined(",", text_of(issued.bytes, " "), ",",
                entry.first->is_global
                    ? joined(issued.traffic.requests, ",,", issued.traffic.transactions)
                    : joined(issued.cost.requests, ",", issued.cost.wavefronts, ","),
                ",", name_of(issued.label));
}

}  // namespace compiled
