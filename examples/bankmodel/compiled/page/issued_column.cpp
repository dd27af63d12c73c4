// SPDX-License-Identifier: MIT
#include "issued_column.hpp"

#include <algorithm>

#include "../../csv.hpp"
#include "../../json.hpp"

namespace compiled {

using command_line::joined;

std::string text_of(const std::set<int>& bytes, const char* between) {
  std::string result;
  for (const int one : bytes) result += joined(result.empty() ? "" : between, one);
  return result;
}

bool has_issued_column(const page& of, const std::vector<priced_access>& accesses) {
  return has_issued_column(of.machine) &&
         std::any_of(accesses.begin(), accesses.end(), [](const priced_access& one) {
           return one.first->label != issued_label::estimate || !is_issued_as_written(one);
         });
}

bool has_issued_column(const page& of) {
  return has_issued_column(of, of.costs.shared) || has_issued_column(of, of.costs.global);
}

std::vector<std::string> issued_notes(const page& of) {
  if (!has_issued_column(of.machine) || (of.costs.shared.empty() && of.costs.global.empty()))
    return {};
  bool has_cubin = false;
  std::vector<std::string> differences;
  for (const std::vector<priced_access>* accesses : {&of.costs.shared, &of.costs.global})
    for (const priced_access& one : *accesses) {
      const recorded_access& access = *one.first;
      has_cubin = has_cubin || access.label != issued_label::estimate;
      if (access.difference.empty()) continue;
      const place line = {access.where.file, access.where.line, 0};
      const std::string text = joined(text_with_path(*of.kernel, line), ": ", access.difference);
      if (std::find(differences.begin(), differences.end(), text) == differences.end())
        differences.push_back(text);
    }
  std::vector<std::string> result = {"As issued: "};
  if (!has_cubin)
    result[0] += joined(has_issued_column(of) ? "an estimate," : "the same, an estimate",
                        " by nvcc's rules for accesses to consecutive addresses. --cubin FILE "
                        "confirms or corrects it.");
  else
    result[0] += differences.empty()
                     ? "confirmed by the cubin, which has the same widths at each line."
                     : "confirmed by the cubin, but for these lines.";
  result.insert(result.end(), differences.begin(), differences.end());
  return result;
}

const char* name_of(issued_label label) {
  constexpr const char* names[] = {"estimate", "confirmed", "corrected", "differs"};
  return names[static_cast<std::size_t>(label)];
}

std::string issued_json(const page& of, const priced_access& one) {
  if (!has_issued_column(of.machine)) return {};
  const issued_instructions& issued = one.issued;
  return joined(
      ", \"issued\": {\"bytes\": [", text_of(issued.bytes, ", "), "], ",
      one.first->is_global ? command_line::members(issued.traffic)
                           : command_line::members(issued.cost),
      ", \"status\": \"", name_of(one.first->label), "\"",
      one.first->difference.empty()
          ? ""
          : joined(", \"difference\": ", command_line::json_string(one.first->difference)),
      "}");
}

std::string issued_csv(const page& of, const priced_access& one) {
  if (!has_issued_column(of.machine)) return ",,,,,";
  const issued_instructions& issued = one.issued;
  return joined(",", text_of(issued.bytes, " "), ",",
                one.first->is_global
                    ? joined(issued.traffic.requests, ",,", issued.traffic.transactions)
                    : joined(issued.cost.requests, ",", issued.cost.wavefronts, ","),
                ",", name_of(one.first->label));
}

}  // namespace compiled
