// SPDX-License-Identifier: MIT
#include <bankmodel/draw.hpp>

#include "answer.hpp"

namespace command_line {

// The worst request of the access with the most conflicts, on the first machine with its
// initial bank width.
std::string drawn(const kernel_file& kernel, const std::vector<finding>& found) {
  if (!kernel.has_shared())
    throw refusal{{}, "there is no access to shared memory to draw", "leave out --svg"};
  const kernel_cost& cost = found.front().costs.front();
  std::size_t most = 0;
  while (kernel.accesses[most].is_global()) ++most;
  for (std::size_t at = most + 1; at < cost.each.size(); ++at)
    if (cost.each[at].conflicts() > cost.each[most].conflicts()) most = at;
  const reason worst = why(kernel, kernel.accesses[most], cost.machine, false);
  if (!worst.found) throw refusal{{}, worst.text, "leave out --svg"};
  return bm::draw_svg(cost.machine, worst.found->array, worst.found->worst);
}

}  // namespace command_line
