// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REORGANIZE_DETAIL_FIRST_COME_HPP
#define BANKMODEL_REORGANIZE_DETAIL_FIRST_COME_HPP

#include <bankmodel/reorganize/detail/threads_of_elements.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

// The clustering `first_come`.
namespace bankmodel::detail {

// Returns the threads in this order: the first thread that is left; then all threads that access
// its elements, then those that access the elements of these, as the elements came; and so on.
// For one reference: the elements in the order of their first access, with all their threads.
inline std::vector<std::uint32_t> first_come(const reorganize::irregular_references& of) {
  const threads_of_elements threads_of(of, 1, false);
  std::vector<bool> is_placed(of.threads()), came(of.elements);
  std::vector<std::uint32_t> order, elements;  // both are queues, too
  order.reserve(of.threads());
  std::size_t next_element = 0;
  const auto place = [&](std::uint32_t thread) {
    if (is_placed[thread]) return;
    is_placed[thread] = true;
    order.push_back(thread);
    for (const reorganize::index_array& indices : of.references) {
      const std::uint32_t element = indices[thread];
      if (element == reorganize::no_element || came[element]) continue;
      came[element] = true;
      elements.push_back(element);
    }
  };
  for (std::uint64_t first = 0; first < of.threads(); ++first) {
    place(static_cast<std::uint32_t>(first));
    for (; next_element < elements.size(); ++next_element)
      for (const std::uint32_t thread : threads_of[elements[next_element]]) place(thread);
  }
  return order;
}

}  // namespace bankmodel::detail

#endif
