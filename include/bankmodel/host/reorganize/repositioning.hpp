// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_REORGANIZE_REPOSITIONING_HPP
#define BANKMODEL_HOST_REORGANIZE_REPOSITIONING_HPP

#include <bankmodel/host/reorganize/detail/exchanged_items.hpp>
#include <bankmodel/host/reorganize/detail/frequency_order.hpp>
#include <bankmodel/host/reorganize/detail/grown_clusters.hpp>
#include <bankmodel/host/reorganize/reorganization.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

// Data repositioning: a new order of the elements, without copies or empty places.
//
// Source: PPoPP 2013, section 2.2.1. The fewest transactions are an NP-complete problem (theorem
// 1), so this is a heuristic.
namespace bankmodel::detail {

// The new place of each element.
inline std::vector<std::uint32_t> places_of(const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> result(order.size());
  for (std::size_t place = 0; place < order.size(); ++place)
    result[order[place]] = static_cast<std::uint32_t>(place);
  return result;
}

// The indices after a new place for each element.
inline std::vector<std::vector<std::uint32_t>> moved_indices(
    const reorganize::irregular_references& references, const std::vector<std::uint32_t>& place) {
  std::vector<std::vector<std::uint32_t>> result;
  for (const reorganize::index_array& old : references.references) {
    std::vector<std::uint32_t>& indices = result.emplace_back(old.size());
    for (std::size_t thread = 0; thread < old.size(); ++thread)
      indices[thread] = old[thread] == reorganize::no_element ? old[thread] : place[old[thread]];
  }
  return result;
}

// The accessed elements in the order of their first access, then the others.
inline std::vector<std::uint32_t> elements_as_accessed(
    const reorganize::irregular_references& references) {
  std::vector<bool> is_accessed(references.elements);
  std::vector<std::uint32_t> result;
  for_each_access(references, static_cast<std::uint64_t>(references.warp),
                  [&](std::uint32_t, std::uint32_t element, std::uint32_t) {
                    if (is_accessed[element]) return;
                    is_accessed[element] = true;
                    result.push_back(element);
                  });
  for (std::uint64_t element = 0; element < references.elements; ++element)
    if (!is_accessed[element]) result.push_back(static_cast<std::uint32_t>(element));
  return result;
}

// Items in clusters of `size`, by growing clusters, and by exchanging items if they are few.
inline std::vector<std::uint32_t> clustered_items(const number_lists& edges_of,
                                                  const number_lists& items_of, std::uint64_t size,
                                                  const std::vector<std::uint32_t>& items) {
  std::vector<std::uint32_t> order;
  order.reserve(items.size());
  {
    cluster_grower grower(edges_of, items_of, growth_limits_for(items.size()));
    for (std::size_t next = 0; order.size() < items.size();) grower.grow(size, items, next, order);
  }
  exchange_items(edges_of, items_of.size(), size, order);
  return order;
}

}  // namespace bankmodel::detail

namespace bankmodel::reorganize {

// Returns a new order of the data with the fewest transactions of three: the order as it is, the
// order of the first access, and segments grown one after the other, each time by the element that
// shares the most requests with the segment. Up to 2048 elements are also exchanged in pairs while
// that saves transactions. So the result never takes more transactions than before; how far from
// the fewest is not known; on random inputs of 12 elements it takes 2 to 3 % more on average.
//
// No thread moves. Space: none besides the old data. Time: O(references * threads) for a fixed warp
// and segment; memory: about 30 bytes for each access and each element. Needs the whole index
// arrays.
// Error: references that require_valid() rejects; more bytes than the limit.
// Example: section 2.2.1, 16 threads in warps of 4 with segments of 4 elements. 7 transactions are
// the fewest:
//
//   std::vector<int> P = {8, 23, 46, 93, 8, 9, 10, 67, 5, 11, 41, 67, 9, 41, 55, 59};
//   irregular_references kernel{.references = {index_array(P)}, .elements = 94, .warp = 4,
//                               .block = 8, .segment_bytes = 16};
//   assert(traffic(kernel).transactions == 14);
//   assert(traffic_after(kernel, reposition(kernel)).transactions == 7);
inline reorganization reposition(const irregular_references& references) {
  references.require_launch();
  references.require_places(references.elements);
  detail::require_listable(references);
  references.require_indices();
  // Elements are numbered by their first access, so that those of a request are close in memory.
  const std::vector<std::uint32_t> as_accessed = detail::elements_as_accessed(references);
  reorganization best;
  best.indices = detail::moved_indices(references, detail::places_of(as_accessed));
  irregular_references numbered = references;
  for (std::size_t reference = 0; reference < best.indices.size(); ++reference)
    numbered.references[reference] = std::span<const std::uint32_t>(best.indices[reference]);

  std::vector<std::uint32_t> in_access_order(references.elements);
  std::iota(in_access_order.begin(), in_access_order.end(), 0u);
  const std::vector<std::uint32_t> grown = detail::clustered_items(
      detail::requests_of_elements(numbered), detail::elements_of_requests(numbered),
      references.segment_elements(), in_access_order);
  const std::vector<std::uint32_t> grown_place = detail::places_of(grown);
  const auto transactions_grown =
      detail::counted_traffic(numbered, [&](std::size_t reference, std::uint64_t thread) {
        const std::uint32_t number = numbered.references[reference][thread];
        return number == no_element ? number : grown_place[number];
      }).transactions;
  const auto transactions_accessed = traffic(numbered).transactions;
  const auto transactions_before = traffic(references).transactions;

  best.data_order.resize(references.elements);
  if (transactions_before <= transactions_grown && transactions_before <= transactions_accessed) {
    std::iota(best.data_order.begin(), best.data_order.end(), 0u);
    best.indices = detail::moved_indices(references, best.data_order);
  } else if (transactions_accessed <= transactions_grown) {
    best.data_order = as_accessed;
  } else {
    for (std::uint64_t place = 0; place < references.elements; ++place)
      best.data_order[place] = as_accessed[grown[place]];
    best.indices = detail::moved_indices(numbered, grown_place);
  }
  return best;
}

}  // namespace bankmodel::reorganize

#endif
