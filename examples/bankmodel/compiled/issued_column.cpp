// SPDX-License-Identifier: MIT
#include "issued_column.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>

#include "../csv.hpp"
#include "../json.hpp"

namespace compiled {

using command_line::joined;

namespace {

// 4, 16
std::string text_of(const std::set<int>& bytes, const char* between) {
  std::string result;
  for (const int one : bytes) result += joined(result.empty() ? "" : between, one);
  return result;
}

void add(command_line::cells& to, const std::set<int>& bytes, std::uint64_t requests,
         std::uint64_t cost) {
  to.push_back(joined(bm::grouped(requests),
                      bytes.empty() ? "" : joined(" of ", text_of(bytes, ", "), " B")));
  to.push_back(bm::grouped(cost));
}

std::string paragraph(const std::string& text, std::size_t width) {
  return joined("\n", command_line::wrapped(text, "", width));
}

}  // namespace

void add_issued_head(command_line::cells& to, const bm::cost&) {
  to.insert(to.end(), {"as issued", "wavefronts"});
}
void add_issued_head(command_line::cells& to, const bm::memory_traffic&) {
  to.insert(to.end(), {"as issued", "transactions"});
}

void add_issued(command_line::cells& to, const std::set<int>& bytes, const bm::cost& cost) {
  add(to, bytes, cost.requests, cost.wavefronts);
}
void add_issued(command_line::cells& to, const std::set<int>& bytes,
                const bm::memory_traffic& all) {
  add(to, bytes, all.requests, all.transactions);
}

bool has_issued_column(const page& of, const std::vector<priced_access>& accesses) {
  return has_issued_column(of.machine) &&
         std::any_of(accesses.begin(), accesses.end(), [](const priced_access& one) {
           return one.first->label != issued_label::estimate ||
                  one.issued.cost.requests != one.cost.requests ||
                  one.issued.traffic.requests != one.traffic.requests;
         });
}

std::string issued_note(const page& of, std::size_t width) {
  if (!has_issued_column(of.machine)) return {};
  bool has_cubin = false;
  std::string differences;
  for (const std::vector<priced_access>* accesses : {&of.costs.shared, &of.costs.global})
    for (const priced_access& one : *accesses) {
      const recorded_access& access = *one.first;
      has_cubin = has_cubin || access.label != issued_label::estimate;
      if (access.difference.empty()) continue;
      const place line = {access.where.file, access.where.line, 0};
      const std::string text =
          joined(text_with_path(*of.kernel, line), ": ", access.difference, "\n");
      if (differences.find(text) == std::string::npos) differences += text;
    }
  if (of.costs.shared.empty() && of.costs.global.empty()) return {};
  if (!has_issued_column(of, of.costs.shared) && !has_issued_column(of, of.costs.global))
    return paragraph(
        "As issued: the same, an estimate by nvcc's rules for accesses to consecutive addresses. "
        "--cubin FILE confirms or corrects it.",
        width);
  if (!has_cubin)
    return paragraph(
        "As issued: an estimate, by nvcc's rules for accesses to consecutive addresses. --cubin "
        "FILE confirms or corrects it.",
        width);
  if (differences.empty())
    return paragraph("As issued: confirmed by the cubin, which has the same widths at each line.",
                     width);
  return joined(paragraph("As issued: confirmed by the cubin, but for these lines.", width),
                differences);
}

const char* name_of(issued_label label) {
  constexpr const char* names[] = {"estimate", "confirmed", "corrected", "differs"};
  return names[static_cast<std::size_t>(label)];
}

std::string issued_json(const page& of, const priced_access& one) {
  if (!has_issued_column(of.machine)) return {};
  const issued_instructions& issued = one.issued;
  return joined(", \"issued\": {\"bytes\": [", text_of(issued.bytes, ", "), "], ",
                one.first->is_global ? command_line::members(issued.traffic)
                                     : command_line::members(issued.cost),
                ", \"status\": \"", name_of(one.first->label), "\"",
                one.first->difference.empty()
                    ? ""
                    : joined(", \"difference\": ", command_line::quoted(one.first->difference)),
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
