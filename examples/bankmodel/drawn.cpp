// SPDX-License-Identifier: MIT
#include <bankmodel/draw.hpp>

#include "answer.hpp"

namespace command_line {

std::size_t drawn_access(const finding& of) {
  const kernel_file& kernel = *of.kernel;
  const kernel_cost& cost = of.costs.front();
  const auto excess = [&](std::size_t at) {
    return cost.traffic[at].transactions - cost.traffic[at].ideal;
  };
  std::size_t conflicting = 0, wasteful = 0, first = 0;
  for (std::size_t at = 1; at < cost.each.size(); ++at) {
    if (cost.each[at].conflicts() > cost.each[conflicting].conflicts()) conflicting = at;
    if (excess(at) > excess(wasteful)) wasteful = at;
  }
  if (cost.each[conflicting].conflicts() != 0) return conflicting;
  if (excess(wasteful) != 0) return wasteful;
  while (kernel.has_shared() && kernel.accesses[first].is_global()) ++first;
  return first;
}

namespace {

std::string drawn(const kernel_file& kernel, const kernel_access& access, const bm::machine& on) {
  const reason because = why(kernel, access, on, false);
  if (!because.found && !because.found_global) throw refusal{{}, because.text, "leave out --svg"};
  return bm::draw_svg(on, access.expression.array,
                      because.found ? because.found->worst : because.found_global->worst);
}

}  // namespace

std::string drawn(const finding& of, std::size_t access) {
  return drawn(*of.kernel, of.kernel->accesses[access], of.costs.front().machine);
}

std::string drawn_as_planned(const finding& of, std::size_t access) {
  const kernel_plan& plan = *of.planning.plan;
  kernel_access planned = of.kernel->accesses[access];
  bm::array_description& array = planned.expression.array;
  array = plan.array(array).planned();
  return drawn(*of.kernel, planned, of.machine.with_bank_width(plan.bank_width()));
}

}  // namespace command_line
