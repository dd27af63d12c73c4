// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_REORGANIZE_DUPLICATION_HPP
#define BANKMODEL_HOST_REORGANIZE_DUPLICATION_HPP

#include <bankmodel/host/reorganize/reference_traffic.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// Duplication: a copy of an element for each access. A[P[tid]] becomes A'[tid].
//
// Source: PPoPP 2013, section 3.1; partial duplication: section 3.2.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void a_ratio_must_be_above_0_and_at_most_1(long long percent) {
  detail::fail(__func__,
               "a ratio of about % percent of the blocks; duplicate more than none and at most all "
               "of them, 0 < ratio <= 1",
               percent);
}
}  // namespace rule

namespace reorganize {

// The result of duplicate(). No thread moves, and no index array is read for the copied threads.
struct duplication {
  // The old element that each place of A' holds; no_element for a thread that makes no access, and
  // for the empty places between two references.
  std::vector<std::uint32_t> data_order;
  std::uint64_t copied_threads = 0;  // threads below it read A', the others A as before
  std::uint64_t stride = 0;          // places of one reference, a multiple of a segment's elements

  // The place of A' that a copied thread reads. Requires: thread < copied_threads.
  std::uint64_t place(std::size_t reference, std::uint64_t thread) const {
    return reference * stride + thread;
  }
};

}  // namespace reorganize

namespace detail {

// Copies the first `threads` indices of each reference, and checks all indices in the same pass.
inline reorganize::duplication copied(const reorganize::irregular_references& kernel,
                                      std::uint64_t threads) {
  reorganize::duplication result;
  const std::uint64_t segment = kernel.segment_elements();
  const std::size_t references = kernel.references.size();
  result.copied_threads = threads;
  result.stride = (threads + segment - 1) / segment * segment;
  const std::uint64_t places = threads == 0 ? 0 : (references - 1) * result.stride + threads;
  kernel.require_places(places);
  if (threads == 0) {
    kernel.require_indices();
    return result;
  }
  result.data_order.reserve(places);
  constexpr std::uint64_t step = 1 << 14;  // indices that stay in the cache between both reads
  for (std::size_t reference = 0; reference < references; ++reference) {
    const std::uint32_t* const indices = kernel.references[reference].data();
    result.data_order.resize(reference * result.stride, reorganize::no_element);
    for (std::uint64_t begin = 0; begin < kernel.threads(); begin += step) {
      const std::uint64_t end = std::min(kernel.threads(), begin + step);
      require_largest(kernel, reference, begin, end,
                      largest_of(indices, begin, end, kernel.may_skip ? 1 : 0));
      if (begin < threads)
        result.data_order.insert(result.data_order.end(), indices + begin,
                                 indices + std::min(end, threads));
    }
  }
  return result;
}

}  // namespace detail

namespace reorganize {

// Returns the copies of the elements that the threads of the first `ratio` of all blocks access, in
// whole blocks, rounded down. The accesses of copied threads are coalesced: a warp that has all its
// accesses takes the fewest transactions, one if its elements fit in a segment.
// A thread that makes no access leaves a gap; if segments are smaller than the elements of a warp,
// its warp may then take more transactions than the fewest.
// Space: references * threads elements, plus less than a segment between references.
// Time: one pass over the indices. The copies of a reference for part() after part() are those for
// the whole.
// Error: references that require_valid() rejects; a ratio that is not in (0, 1]; more bytes than
// the limit.
// Example: thread 2 reads place 2:
//
//   const std::vector<int> P{4, 4, 9};
//   const irregular_references kernel{.references = {index_array(P)}, .elements = 10};
//   assert((duplicate(kernel).data_order == std::vector<std::uint32_t>{4, 4, 9}));
inline duplication duplicate(const irregular_references& kernel, double ratio = 1) {
  kernel.require_launch();
  if (!(ratio > 0 && ratio <= 1))
    rule::a_ratio_must_be_above_0_and_at_most_1(
        ratio > -1e6 && ratio < 1e6 ? static_cast<long long>(100 * ratio) : 0);
  if (ratio == 1) return detail::copied(kernel, kernel.threads());
  const auto blocks = static_cast<std::uint64_t>(ratio * static_cast<double>(kernel.blocks()));
  return detail::copied(
      kernel, std::min(kernel.threads(), blocks * static_cast<std::uint64_t>(kernel.block)));
}

// Returns the copies of as many blocks as the byte limit allows.
// Error: the limit does not allow one block; as for duplicate().
// Example: 1000 blocks of 256 threads that read floats, and room for all of them, or for 100:
//
//   const std::vector<int> P(1000 * 256);
//   irregular_references kernel{.references = {index_array(P)}, .elements = 1};
//   kernel.byte_limit = 1 << 20;
//   assert(duplicate_within_limit(kernel).copied_threads == 1000 * 256);
//   kernel.byte_limit = 100 << 10;
//   assert(duplicate_within_limit(kernel).copied_threads == 100 * 256);
inline duplication duplicate_within_limit(const irregular_references& kernel) {
  kernel.require_launch();
  const std::uint64_t block = static_cast<std::uint64_t>(kernel.block),
                      segment = kernel.segment_elements(), references = kernel.references.size();
  const auto places = [&](std::uint64_t blocks) {
    const std::uint64_t threads = std::min(kernel.threads(), blocks * block);
    return (references - 1) * ((threads + segment - 1) / segment * segment) + threads;
  };
  const auto fits = [&](std::uint64_t blocks) {
    return places(blocks) < no_element &&
           places(blocks) * static_cast<std::uint64_t>(kernel.element_bytes) <= kernel.byte_limit;
  };
  if (!fits(1)) kernel.require_places(places(1));
  std::uint64_t maximum = 1, too_many = kernel.blocks() + 1;
  while (too_many - maximum > 1) {
    const std::uint64_t middle = maximum + (too_many - maximum) / 2;
    (fits(middle) ? maximum : too_many) = middle;
  }
  return detail::copied(kernel, std::min(kernel.threads(), maximum * block));
}

// Returns the traffic after duplication: of A' for the copied threads, of A for the others.
// Error: as for traffic().
inline reference_traffic traffic_after(const irregular_references& original,
                                       const duplication& result) {
  original.require_valid();
  // Copied threads are whole blocks, so that no request reads both arrays.
  return detail::counted_traffic(original, [&](std::size_t reference, std::uint64_t thread) {
    const std::uint32_t old = original.references[reference][thread];
    if (old == no_element || thread >= result.copied_threads) return old;
    return static_cast<std::uint32_t>(result.place(reference, thread));
  });
}

// Returns the bytes of A'.
inline std::uint64_t data_bytes(const irregular_references& original, const duplication& result) {
  return result.data_order.size() * static_cast<std::uint64_t>(original.element_bytes);
}

}  // namespace reorganize
}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
