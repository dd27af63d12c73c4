// SPDX-License-Identifier: MIT
#include <bankmodel/draw.hpp>

#include "answer.hpp"

namespace command_line {

// Of the access with the most conflicts, on the first machine with its initial bank width. Without
// a conflict it is the access with the most transactions beyond its ideal, and without these the
// first one, in shared memory if there is any.
std::string drawn(const std::vector<finding>& found) {
  const kernel_file& kernel = *found.front().kernel;
  const kernel_cost& cost = found.front().costs.front();
  const auto excess = [&](std::size_t at) {
    return cost.traffic[at].transactions - cost.traffic[at].ideal;
  };
  std::size_t conflicting = 0, wasteful = 0;
  for (std::size_t at = 1; at < cost.each.size(); ++at) {
    if (cost.each[at].conflicts() > cost.each[conflicting].conflicts()) conflicting = at;
    if (excess(at) > excess(wasteful)) wasteful = at;
  }
  std::size_t drawn = 0;
  if (cost.each[conflicting].conflicts() != 0)
    drawn = conflicting;
  else if (excess(wasteful) != 0)
    drawn = wasteful;
  else
    while (kernel.has_shared() && kernel.accesses[drawn].is_global()) ++drawn;

  const kernel_access& access = kernel.accesses[drawn];
  const reason because = why(kernel, access, cost.machine, false);
  if (!because.found && !because.found_global) throw refusal{{}, because.text, "leave out --svg"};
  return bm::draw_svg(cost.machine, access.expression.array,
                      because.found ? because.found->worst : because.found_global->worst);
}

}  // namespace command_line
