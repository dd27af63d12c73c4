// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_PARETO_HPP
#define BANKMODEL_SEARCH_PARETO_HPP

#include <bankmodel/search/optimizer.hpp>

#include <vector>

namespace bankmodel {

// Returns the Pareto front of wavefronts and bytes (host only): each plan has fewer wavefronts
// than any plan with fewer bytes. They are ordered from the fewest wavefronts to the fewest
// bytes. Each has its resident_blocks(), so that a tuner can trade conflicts against occupancy.
// is_optimal() of a plan speaks of all plans with fewer bytes than the plan before it.
// Requires: the limits in `how`, as for optimize().
// Error: the errors of optimize().
// Example: pareto_front(nvidia::sm_90, kernel(block_dim{32, 8}, load(tile[tx][ty])),
// {.layouts = layouts::padding}) of float tile[32][32] has two plans: 4224 bytes without a
// conflict, and 4096 bytes with 31 conflicts for each request. With all layouts it has one
// plan: 4096 bytes without a conflict.
template <class... Accesses>
auto pareto_front(const machine& m, const kernel_description<Accesses...>& kernel,
                  search how = {}) {
  std::vector<layout_plan<detail::accesses_in<access_list<Accesses...>>>> front;
  front.push_back(optimize(m, kernel, how));
  for (;;) {
    how.shared_bytes = front.back().bytes() - 1;
    auto next = front.back();
    if (how.shared_bytes < 1) break;
    if (!detail::fill_in(m, kernel, how, next).found) break;
    // If the effort was spent, a plan found with more bytes may be no better. The one that takes
    // its place was searched within fewer bytes, and claims no more than both searches together.
    while (!front.empty() && front.back().after().wavefronts >= next.after().wavefronts) {
      if (front.back().bound < next.bound) next.bound = front.back().bound;
      next.complete = next.complete && front.back().complete;
      front.pop_back();
    }
    front.push_back(next);
  }
  return front;
}

}  // namespace bankmodel

#endif
