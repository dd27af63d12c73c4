// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_BENCH_PLAIN_REQUESTS_HPP
#define BANKMODEL_BENCH_PLAIN_REQUESTS_HPP

#include "plain_counting.hpp"

#include "../tests/support/run_plainly.hpp"

// A kernel's requests written down once, so that plain counting of one layout after another has to
// do no more than computing addresses and counting them.
namespace plain {

// The coordinates that the active lanes of one warp touch with one load or store.
using request = std::vector<std::array<long long, bm::max_rank>>;

struct recorded_array {
  bm::array_description declared;
  std::vector<request> requests;

  // Wavefronts of all requests if the array were laid out so and began at that element.
  unsigned long long wavefronts(const bm::geometry& g, const bm::layout& layout,
                                long long base) const {
    unsigned long long sum = 0;
    std::vector<long long> elements;
    for (const request& lanes : requests) {
      elements.clear();
      for (const auto& subscript : lanes) {
        long long element = base;
        for (int d = 0; d < layout.rank; ++d)
          element += subscript[static_cast<std::size_t>(d)] * layout.stride[d];
        elements.push_back(element);
      }
      sum += static_cast<unsigned>(count_with_sets(g, elements));
    }
    return sum;
  }
};

// The arrays of a kernel in the order of their first use, each with all its requests.
template <class Kernel>
std::vector<recorded_array> recorded(const bm::machine& machine, const Kernel& kernel) {
  std::vector<recorded_array> arrays;
  bm::for_each_access(kernel, [&](const auto& access) {
    std::size_t index = 0;
    while (index < arrays.size() && arrays[index].declared.name != access.array.name) ++index;
    if (index == arrays.size()) arrays.push_back({access.array, {}});
    plainly::each_request(machine.lanes, kernel.block, access, [&](const plainly::request& lanes) {
      request& entry = arrays[index].requests.emplace_back();
      for (const auto& lane : lanes) entry.push_back(lane.subscripts);
    });
  });
  return arrays;
}

}  // namespace plain

#endif
