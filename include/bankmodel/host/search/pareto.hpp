// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_SEARCH_PARETO_HPP
#define BANKMODEL_HOST_SEARCH_PARETO_HPP

#include <bankmodel/search/optimizer.hpp>

#include <vector>

namespace bankmodel {

// Returns the Pareto front of wavefronts and bytes (host only): each plan has fewer wavefronts
// than any plan with fewer bytes. They are ordered from the fewest wavefronts to the fewest
// bytes. Each has its resident_blocks(), so that a tuner can trade conflicts against occupancy.
// is_optimal() of a plan speaks of all plans with fewer bytes than the plan before it.
// Requires: the limits in `options`, as for optimize().
// Error: the errors of optimize().
// Example:
//
//   constexpr auto tile = shared_array<float>("tile", 32, 32);
//   constexpr auto read = kernel(block_dim{32, 8}, load(tile[tx][ty]));
//   const auto padded = pareto_front(nvidia::sm_90, read, {.layouts = layouts::padding});
//   assert(padded.size() == 2);
//   assert(padded[0].bytes() == 4224 && padded[0].after().conflicts() == 0);
//   assert(padded[1].bytes() == 4096 && padded[1].after().conflicts() == 8 * 31);
//   const auto all = pareto_front(nvidia::sm_90, read);
//   assert(all.size() == 1 && all[0].bytes() == 4096 && all[0].after().conflicts() == 0);
template <class... Accesses>
auto pareto_front(const machine& m, const kernel_description<Accesses...>& kernel,
                  search options = {}) {
  std::vector<layout_plan<detail::accesses_in<access_list<Accesses...>>>> front;
  front.push_back(optimize(m, kernel, options));
  for (;;) {
    options.shared_bytes = front.back().bytes() - 1;
    auto next = front.back();
    if (options.shared_bytes < 1) break;
    if (!detail::fill_in(m, kernel, options, next).exists) break;
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
