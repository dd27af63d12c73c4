// SPDX-License-Identifier: MIT
#include <bankmodel/report.hpp>

#include "answer.hpp"
#include "csv.hpp"
#include "declaration.hpp"
#include "known_machines.hpp"

namespace command_line {

namespace {

// The family of the planned layout of an access's array, its declaration, and the cost of the
// access then; empty without a plan.
std::string columns_of_plan(const kernel_file& kernel, std::size_t at, const finding& on) {
  const kernel_access& access = kernel.accesses[at];
  if (on.planning.plan == nullptr || access.is_global()) return ",,";
  const kernel_plan& plan = *on.planning.plan;
  const bm::array_name& name = access.expression.array.name;
  const bm::layout layout = plan.layout(access.expression.array);
  return joined(family_name(layout), ",", in_quotes(joined(bm::text(name), bm::text(layout))), ",",
                plan.after(number_in_plan(kernel, at)).wavefronts);
}

// Requests and ideal are columns of both memories; the others of one, and empty for the other.
std::string columns_of(const bm::cost& cost) {
  return joined(cost.requests, ",", cost.wavefronts, ",", cost.ideal, ",", cost.conflicts(), ",",
                cost.degree);
}
std::string columns_of(const bm::memory_traffic& traffic) {
  return joined(traffic.requests, ",,", traffic.ideal, ",,");
}
std::string more_columns_of(const bm::memory_traffic& traffic) {
  return joined(traffic.transactions, ",", traffic.lines, ",", traffic.bytes_used, ",",
                traffic.bytes_moved);
}

// Of an access in either memory.
std::string columns_of(const kernel_access& access, std::size_t at,
                       const costs_of_accesses& costs) {
  return access.is_global() ? columns_of(costs.traffic[at]) : columns_of(costs.each[at]);
}
std::string more_columns_of(const kernel_access& access, std::size_t at,
                            const costs_of_accesses& costs) {
  return access.is_global() ? more_columns_of(costs.traffic[at]) : ",,,";
}

}  // namespace

std::string as_csv(const source& of, const std::vector<finding>& found) {
  const kernel_file& kernel = *found.front().kernel;
  std::string result =
      "machine,bank_width,line,column,access,requests,wavefronts,ideal,conflicts,degree,planned_"
      "layout,planned_array,planned_wavefronts";
  // A kernel without either has no columns for them.
  const bool has_global = kernel.has_global(), has_grid = kernel.grid.has_value();
  if (has_global) result += ",memory,transactions,lines,bytes_used,bytes_moved";
  if (has_grid) result += ",grid_requests,grid_wavefronts,grid_ideal,grid_conflicts,grid_degree";
  if (has_grid && has_global)
    result += ",grid_transactions,grid_lines,grid_bytes_used,grid_bytes_moved";
  result += "\n";
  for (const finding& one : found)
    for (const kernel_cost& cost : one.costs)
      for (std::size_t at = 0; at < cost.each.size(); ++at) {
        const kernel_access& access = one.kernel->accesses[at];
        result += joined(name_of(one.machine), ",", cost.machine.bank_width, ",",
                         line_number(of, access.where.first), ",",
                         column_number(of, access.where.first), ",", in_quotes(access.text), ",",
                         columns_of(access, at, cost), ",", columns_of_plan(*one.kernel, at, one));
        if (has_global)
          result += joined(",", access.is_global() ? "global" : "shared", ",",
                           more_columns_of(access, at, cost));
        if (has_grid) result += joined(",", columns_of(access, at, *cost.of_grid));
        if (has_grid && has_global)
          result += joined(",", more_columns_of(access, at, *cost.of_grid));
        result += "\n";
      }
  return result;
}

}  // namespace command_line
