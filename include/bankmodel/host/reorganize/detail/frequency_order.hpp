// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_REORGANIZE_DETAIL_FREQUENCY_ORDER_HPP
#define BANKMODEL_HOST_REORGANIZE_DETAIL_FREQUENCY_ORDER_HPP

#include <bankmodel/host/reorganize/irregular_references.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// The first two steps of padding: elements by how many threads access them, threads by elements.
namespace bankmodel::detail {

// The accessed elements in the order of their first access by a thread, and for each element of the
// data the number of threads that access it through this reference.
struct accessed_elements {
  std::vector<std::uint32_t> in_order, frequency;

  accessed_elements(const reorganize::index_array& indices, std::uint64_t elements)
      : frequency(elements) {
    for (std::size_t thread = 0; thread < indices.size(); ++thread) {
      const std::uint32_t element = indices[thread];
      if (element != reorganize::no_element && frequency[element]++ == 0)
        in_order.push_back(element);
    }
  }
};

// Returns the accessed elements, the most frequent first; equally frequent ones in the order of
// their first access, as in figure 4.
inline std::vector<std::uint32_t> by_frequency(const accessed_elements& accessed) {
  // A counting sort: there are at most sqrt(2 * threads) different frequencies, but they can be
  // large, so that they are numbered first.
  std::vector<std::uint32_t> values;
  values.reserve(accessed.in_order.size());
  for (const std::uint32_t element : accessed.in_order)
    values.push_back(accessed.frequency[element]);
  std::sort(values.begin(), values.end(), std::greater<>());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  const auto bucket = [&](std::uint32_t element) {
    return static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(),
                                                     accessed.frequency[element],
                                                     std::greater<>()) -
                                    values.begin());
  };
  std::vector<std::uint32_t> next(values.size() + 1);
  for (const std::uint32_t element : accessed.in_order) ++next[bucket(element) + 1];
  for (std::size_t index = 1; index < next.size(); ++index) next[index] += next[index - 1];
  std::vector<std::uint32_t> result(accessed.in_order.size());
  for (const std::uint32_t element : accessed.in_order) result[next[bucket(element)]++] = element;
  return result;
}

// Returns the threads in the order of their elements, those that access one element in the order of
// their numbers; threads without an access last.
inline std::vector<std::uint32_t> threads_by_element(const reorganize::index_array& indices,
                                                     const std::vector<std::uint32_t>& order,
                                                     const accessed_elements& accessed) {
  std::vector<std::uint32_t> next(accessed.frequency.size());
  std::uint32_t begin = 0;
  for (const std::uint32_t element : order) {
    next[element] = begin;
    begin += accessed.frequency[element];
  }
  std::vector<std::uint32_t> result(indices.size());
  for (std::size_t thread = 0; thread < indices.size(); ++thread) {
    const std::uint32_t element = indices[thread];
    std::uint32_t& place = element == reorganize::no_element ? begin : next[element];
    result[place++] = static_cast<std::uint32_t>(thread);
  }
  return result;
}

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
