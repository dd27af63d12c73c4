// SPDX-License-Identifier: MIT
#include <bankmodel/report.hpp>

#include "answer.hpp"
#include "declaration.hpp"
#include "known_machines.hpp"

namespace command_line {

namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text)
    result += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return result + "\"";
}

// The family of the planned layout of an access's array, its declaration, and the cost of the
// access then; empty without a plan.
std::string columns_of_plan(const kernel_access& access, std::size_t at, const finding& on) {
  if (on.planning.plan == nullptr) return ",,";
  const kernel_plan& plan = *on.planning.plan;
  const bm::array_name& name = access.expression.array.name;
  const bm::layout layout = plan.layout(access.expression.array);
  return joined(family_name(layout), ",", quoted(joined(bm::text(name), bm::text(layout))), ",",
                plan.after(static_cast<int>(at)).wavefronts);
}

}  // namespace

std::string as_csv(const source& of, const kernel_file& kernel, const std::vector<finding>& found) {
  std::string result =
      "machine,bank_width,line,column,access,requests,wavefronts,ideal,conflicts,degree,planned_"
      "layout,planned_array,planned_wavefronts\n";
  for (const finding& one : found)
    for (const kernel_cost& cost : one.costs)
      for (std::size_t at = 0; at < cost.each.size(); ++at) {
        const kernel_access& access = kernel.accesses[at];
        const bm::cost& each = cost.each[at];
        result += joined(
            name_of(one.machine), ",", cost.machine.bank_width, ",",
            line_number(of, access.where.first), ",", column_number(of, access.where.first), ",",
            quoted(access.text), ",", each.requests, ",", each.wavefronts, ",", each.ideal, ",",
            each.conflicts(), ",", each.degree, ",", columns_of_plan(access, at, one), "\n");
      }
  return result;
}

}  // namespace command_line
