// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_PARETO_HPP
#define BANKMODEL_SEARCH_PARETO_HPP

#include <bankmodel/search/optimizer.hpp>

#include <vector>

namespace bankmodel {

// All plans that are best for their bytes, on the host: each has fewer wavefronts than any with
// fewer bytes. From the fewest wavefronts to the fewest bytes; each comes with its
// resident_blocks(), so that a tuner can trade conflicts for occupancy by itself. The limits are
// those of optimize(), and so are the refusals.
//
//   pareto_front(nvidia::sm_90, kernel(block_dim{32, 8}, load(tile[tx][ty])), {.layouts =
//   layouts::padding}) of float
//   tile[32][32]: 4224 bytes without a conflict, and 4096 bytes with 31 for each request. Of all
//   layouts it is one plan: 4096
//   bytes without a conflict.
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
    // Where the effort was spent, what was found with more bytes may be no better.
    while (!front.empty() && front.back().after().wavefronts >= next.after().wavefronts)
      front.pop_back();
    front.push_back(next);
  }
  return front;
}

}  // namespace bankmodel

#endif
