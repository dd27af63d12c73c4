// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_REORGANIZE_DETAIL_FIRST_COME_HPP
#define BANKMODEL_HOST_REORGANIZE_DETAIL_FIRST_COME_HPP

#include <bankmodel/host/reorganize/detail/frequency_order.hpp>
#include <bankmodel/host/reorganize/detail/incidence.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

// The clustering `first_come`.
namespace bankmodel::detail {

// Returns the threads in this order: the first thread that is left; then all threads that access
// its elements, then those that access the elements of these, as the elements came; and so on.
// For one reference: the elements in the order of their first access, with all their threads.
// Segments serve as well as elements.
inline std::vector<std::uint32_t> first_come(const number_lists& elements_of,
                                             const number_lists& threads_of) {
  std::vector<bool> is_placed(elements_of.size()), came(threads_of.size());
  std::vector<std::uint32_t> order, queue;  // threads; elements
  order.reserve(elements_of.size());
  std::size_t next = 0;
  const auto place = [&](std::uint32_t thread) {
    if (is_placed[thread]) return;
    is_placed[thread] = true;
    order.push_back(thread);
    for (const std::uint32_t element : elements_of[thread]) {
      if (came[element]) continue;
      came[element] = true;
      queue.push_back(element);
    }
  };
  for (std::uint64_t first = 0; first < elements_of.size(); ++first) {
    place(static_cast<std::uint32_t>(first));
    for (; next < queue.size(); ++next)
      for (const std::uint32_t thread : threads_of[queue[next]]) place(thread);
  }
  return order;
}

inline std::vector<std::uint32_t> first_come(const reorganize::irregular_references& references) {
  if (references.references.size() == 1) {
    const accessed_elements accessed(references.references[0], references.elements);
    return threads_by_element(references.references[0], accessed.in_order, accessed);
  }
  return first_come(elements_of_threads(references), threads_of_elements(references));
}

}  // namespace bankmodel::detail

#endif
