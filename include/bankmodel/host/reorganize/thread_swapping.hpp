// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_REORGANIZE_THREAD_SWAPPING_HPP
#define BANKMODEL_HOST_REORGANIZE_THREAD_SWAPPING_HPP

#include <bankmodel/host/reorganize/detail/first_come.hpp>
#include <bankmodel/host/reorganize/detail/packed_warps.hpp>
#include <bankmodel/host/reorganize/repositioning.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

// Swapping threads between warps (job swapping): the data stay as they are.
//
// Source: PPoPP 2013, section 2.2.2. The fewest transactions are an NP-complete problem (theorem
// 2), so this is a heuristic.
namespace bankmodel::reorganize {

// Returns a new order of the threads with the fewest transactions of these: the order as it is; for
// one reference, threads of one segment packed into warps by best fit; for several references, or
// up to 2048 threads, also threads in the order in which their segments come, and warps grown one
// after the other, each time by the thread that shares the most segments with the warp. Up to 2048
// threads, if threads^2 * references is at most 2^23 (2048 threads with 2 references, 512 with 32),
// are then exchanged in pairs while that saves transactions, which takes a second at most. So
// the result never takes more transactions than before. On random inputs of 12 threads it takes the
// fewest with one reference, and 1.4 % more on average with two.
//
// What else the kernel indexes by thread must follow: new thread t is old thread thread_order[t].
// Space: none besides the old data. Time: O(references * threads) for a fixed warp, without
// the exchanges; memory: about 50 bytes for each access. Needs the whole index arrays.
// Error: references that require_valid() rejects.
// Example: threads 3 and 7 swapped, in warps and segments of 4:
//
//   const std::vector<int> P{0, 1, 2, 7, 4, 5, 6, 3};
//   const irregular_references kernel{.references = {index_array(P)}, .elements = 8, .warp = 4,
//                                     .block = 8, .segment_bytes = 16};
//   assert(traffic(kernel).transactions == 4);
//   assert(traffic_after(kernel, swap_threads(kernel)).transactions == 2);
inline reorganization swap_threads(const irregular_references& references) {
  references.require_launch();
  detail::require_listable(references);
  references.require_indices();
  reorganization best;
  best.thread_order.resize(references.threads());
  std::iota(best.thread_order.begin(), best.thread_order.end(), 0u);
  std::uint64_t fewest = traffic(references).transactions;
  const auto try_order = [&](std::vector<std::uint32_t> order) {
    const auto transactions =
        detail::counted_traffic(references, [&](std::size_t reference, std::uint64_t thread) {
          return references.references[reference][order[thread]];
        }).transactions;
    if (transactions >= fewest) return;
    fewest = transactions;
    best.thread_order = std::move(order);
  };
  const std::uint64_t segments = (references.elements + references.segment_elements() - 1) /
                                 references.segment_elements() * references.references.size();
  if (segments >= no_element) rule::places_must_fit_in_32_bits(static_cast<long long>(segments));
  {
    const detail::number_lists segments_of = detail::segments_of_threads(references);
    const detail::number_lists threads_of = segments_of.transposed(segments);
    const bool is_one = references.references.size() == 1;
    if (is_one) try_order(detail::packed_warps(references, threads_of));
    if (!is_one || references.threads() <= detail::most_exchanged_items) {
      std::vector<std::uint32_t> came = detail::first_come(segments_of, threads_of);
      try_order(detail::clustered_items(segments_of, threads_of,
                                        static_cast<std::uint64_t>(references.warp), came));
      try_order(std::move(came));
    }
  }
  for (const index_array& old : references.references) {
    std::vector<std::uint32_t>& indices = best.indices.emplace_back(references.threads());
    for (std::uint64_t thread = 0; thread < references.threads(); ++thread)
      indices[thread] = old[best.thread_order[thread]];
  }
  return best;
}

}  // namespace bankmodel::reorganize

#endif
