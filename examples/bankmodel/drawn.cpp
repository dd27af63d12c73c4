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

std::string drawn(const finding& of, std::size_t access) {
  const kernel_access& drawn = of.kernel->accesses[access];
  const bm::machine& on = of.costs.front().machine;
  const reason because = why(*of.kernel, drawn, on, false);
  if (!because.found && !because.found_global) throw refusal{{}, because.text, "leave out --svg"};
  return bm::draw_svg(on, drawn.expression.array,
                      because.found ? because.found->worst : because.found_global->worst);
}

}  // namespace command_line
