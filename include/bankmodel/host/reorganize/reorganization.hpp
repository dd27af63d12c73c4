// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_REORGANIZE_REORGANIZATION_HPP
#define BANKMODEL_HOST_REORGANIZE_REORGANIZATION_HPP

#include <bankmodel/host/reorganize/reference_traffic.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// New orders of data and threads, and how to apply them.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void an_order_must_be_of_this_array(long long size, long long element) {
  detail::fail(__func__,
               "an array of % entries is put in an order that uses entry %; apply the order to the "
               "array that it was made for",
               size, element);
}
}  // namespace rule

namespace reorganize {

// The result of padding, repositioning and swapping threads.
//
// New thread t runs the work of old thread thread_order[t], and reads new_data[indices[r][t]] in
// place of data[references[r][thread_order[t]]].
struct reorganization {
  // The old element that each new place holds; no_element for an empty place. Empty: the data stay
  // as they are.
  std::vector<std::uint32_t> data_order;
  // [reference][new thread]: the new index; no_element for a thread that makes no access.
  std::vector<std::vector<std::uint32_t>> indices;
  // [new thread]: the old thread. Empty: no thread moves.
  std::vector<std::uint32_t> thread_order;

  // The old thread whose work new thread `thread` does.
  std::uint64_t old_thread(std::uint64_t thread) const {
    return thread_order.empty() ? thread : thread_order[thread];
  }
};

// Returns the new array: at each place the element that it holds, and T{} at empty places.
// Error: the order has an element that `data` does not have.
// Example:
//
//   const std::vector<char> data{'a', 'b'};
//   const std::vector<std::uint32_t> order{1, no_element, 1};
//   assert((in_order<char>(data, order) == std::vector<char>{'b', '\0', 'b'}));
template <class T>
std::vector<T> in_order(std::span<const T> data, std::span<const std::uint32_t> order) {
  std::vector<T> result(order.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    const std::uint32_t element = order[place];
    if (element == no_element) continue;
    if (element >= data.size())
      rule::an_order_must_be_of_this_array(static_cast<long long>(data.size()), element);
    result[place] = data[element];
  }
  return result;
}
template <class T>
std::vector<T> in_order(const std::vector<T>& data, const std::vector<std::uint32_t>& order) {
  return in_order(std::span<const T>(data), std::span<const std::uint32_t>(order));
}

// Returns where each old thread is now: the inverse of a thread order, for results that the old
// threads would have written.
// Example:
//
//   assert((threads_by_old({2, 0, 1}) == std::vector<std::uint32_t>{1, 2, 0}));
inline std::vector<std::uint32_t> threads_by_old(const std::vector<std::uint32_t>& thread_order) {
  std::vector<std::uint32_t> result(thread_order.size());
  for (std::size_t thread = 0; thread < thread_order.size(); ++thread) {
    if (thread_order[thread] >= result.size())
      rule::an_order_must_be_of_this_array(static_cast<long long>(result.size()),
                                           thread_order[thread]);
    result[thread_order[thread]] = static_cast<std::uint32_t>(thread);
  }
  return result;
}

// Returns the references after a reorganization, as views of its indices. They can be counted, and
// reorganized again: swap_threads() after reposition() does both.
// Requires: `result` lives as long as the references are used.
inline irregular_references references_after(const irregular_references& original,
                                             const reorganization& result) {
  irregular_references changed = original;
  for (std::size_t reference = 0; reference < changed.references.size(); ++reference)
    changed.references[reference] = std::span<const std::uint32_t>(result.indices[reference]);
  if (!result.data_order.empty()) changed.elements = result.data_order.size();
  return changed;
}

// Returns the traffic of the references after a reorganization.
// Error: as for traffic().
inline reference_traffic traffic_after(const irregular_references& original,
                                       const reorganization& result) {
  return traffic(references_after(original, result));
}

// Returns the bytes of the new data, empty places and copies included; of the old ones if the data
// stay as they are.
inline std::uint64_t data_bytes(const irregular_references& original,
                                const reorganization& result) {
  const std::uint64_t places =
      result.data_order.empty() ? original.elements : result.data_order.size();
  return places * static_cast<std::uint64_t>(original.element_bytes);
}

}  // namespace reorganize
}  // namespace bankmodel

#endif
