// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_REORGANIZE_IRREGULAR_REFERENCES_HPP
#define BANKMODEL_HOST_REORGANIZE_IRREGULAR_REFERENCES_HPP

#include <bankmodel/core/arithmetic.hpp>
#include <bankmodel/host/reorganize/detail/in_parallel.hpp>
#include <bankmodel/host/reorganize/index_array.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// The input of all algorithms: the references A[P[tid]], A[Q[tid]], .. of a kernel to one array.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void references_must_have_threads(long long references,
                                                            long long threads) {
  detail::fail(__func__,
               "there are % index arrays for % threads; give at least one index array with an "
               "index for each thread, and 1 to 4294967294 threads",
               references, threads);
}
[[noreturn]] BANKMODEL_FN void references_must_have_an_index_for_each_thread(long long reference,
                                                                             long long indices,
                                                                             long long threads) {
  detail::fail(__func__,
               "index array % (counted from 0) has % indices, the first one has %; give each "
               "reference one index for each thread of the launch",
               reference, indices, threads);
}
[[noreturn]] BANKMODEL_FN void indices_must_lie_within_the_data(long long reference,
                                                                long long thread, long long index) {
  detail::fail(__func__,
               "index array % (counted from 0) has the index % at thread %, which is not an "
               "element of the data; set .elements to the size of the data, or .may_skip if -1 "
               "means that a thread makes no access",
               reference, index, thread);
}
[[noreturn]] BANKMODEL_FN void the_data_must_have_1_to_4294967294_elements(long long elements) {
  detail::fail(__func__, "the data have % elements; set .elements to 1 to 4294967294", elements);
}
[[noreturn]] BANKMODEL_FN void referenced_elements_must_have_1_2_4_8_or_16_bytes(long long bytes) {
  detail::fail(__func__,
               "an element has % bytes; set .element_bytes to 1, 2, 4, 8 or 16, which one load "
               "of a thread can read, and describe larger structures by their members",
               bytes);
}
[[noreturn]] BANKMODEL_FN void segments_must_be_powers_of_two(long long segment,
                                                              long long element) {
  detail::fail(__func__,
               "segments or lines of % bytes for elements of % bytes; set .segment_bytes and "
               ".line_bytes to powers of two up to 1048576 that are not below .element_bytes",
               segment, element);
}
[[noreturn]] BANKMODEL_FN void warps_must_be_powers_of_two_up_to_64(long long warp) {
  detail::fail(__func__, "a warp has % threads; set .warp to a power of two from 1 to 64", warp);
}
[[noreturn]] BANKMODEL_FN void blocks_must_be_multiples_of_the_warp(long long block,
                                                                    long long warp) {
  detail::fail(__func__,
               "a block has % threads in warps of %; set .block to a multiple of .warp from "
               ".warp to 1048576",
               block, warp);
}
[[noreturn]] BANKMODEL_FN void the_new_data_must_fit_in_the_byte_limit(long long bytes,
                                                                       long long limit) {
  detail::fail(__func__,
               "the new data would have at least % bytes, % are allowed; raise .byte_limit, or use "
               "an algorithm that needs less: reposition() and swap_threads() need no extra space",
               bytes, limit);
}
[[noreturn]] BANKMODEL_FN void places_must_fit_in_32_bits(long long places) {
  detail::fail(__func__,
               "the new data would have % places, at most 4294967294 have 32-bit indices; "
               "reorganize fewer references at once",
               places);
}
[[noreturn]] BANKMODEL_FN void blocks_of_a_part_must_exist(long long first, long long count,
                                                           long long blocks) {
  detail::fail(__func__, "a part of % blocks from block % on is not in a launch of % blocks", count,
               first, blocks);
}
}  // namespace rule

namespace reorganize {

// The references of a kernel to one array in global memory, and the launch. The index arrays are
// views: what they view must live as long as this object is used. Nothing here is ever modified.
//
// Example: A[P[tid]] of a float array of 94 elements on a machine with warps of 4 threads:
//
//   std::vector<int> P = {8, 23, 46, 93, 8, 9, 10, 67, 5, 11, 41, 67, 9, 41, 55, 59};
//   irregular_references kernel{.references = {index_array(P)}, .elements = 94, .warp = 4,
//                               .block = 8, .segment_bytes = 16};
//   assert(traffic(kernel).requests == 4 && traffic(kernel).transactions == 14);
struct irregular_references {
  // One index array for each reference, each with an index for each thread of the launch.
  std::vector<index_array> references = {};
  std::uint64_t elements = 0;  // of the data array
  int element_bytes = 4;       // 1, 2, 4, 8 or 16
  int warp = 32;               // threads, a power of two up to 64
  int block = 256;             // threads, a multiple of the warp; the last block may have fewer
  int segment_bytes = 32;      // bytes of one transaction: the machine's global.sector_bytes
  int line_bytes = 128;        // the machine's global.line_bytes; 0: lines are not counted
  bool may_skip = false;       // true: a thread whose index is no_element (-1) makes no access
  // The most bytes that the new data may have, empty places and copies included.
  std::uint64_t byte_limit = ~std::uint64_t{0};
  int cores = 0;  // threads of the CPU to use; 0: all. Results do not depend on it.

  std::uint64_t threads() const { return references.empty() ? 0 : references[0].size(); }
  std::uint64_t blocks() const {
    const std::uint64_t size = static_cast<std::uint64_t>(block);
    return (threads() + size - 1) / size;
  }
  std::uint64_t warps() const {
    const std::uint64_t size = static_cast<std::uint64_t>(warp);
    return (threads() + size - 1) / size;
  }
  // The elements that fit in one segment.
  std::uint64_t segment_elements() const {
    return static_cast<std::uint64_t>(segment_bytes / element_bytes);
  }

  // Returns the references of `count` blocks from block `first` on, as a launch of their own. So a
  // large launch is processed in bounded memory, chunk after chunk.
  // Error: there are no such blocks.
  irregular_references part(std::uint64_t first, std::uint64_t count) const {
    if (count == 0 || first >= blocks() || count > blocks() - first)
      rule::blocks_of_a_part_must_exist(static_cast<long long>(first),
                                        static_cast<long long>(count),
                                        static_cast<long long>(blocks()));
    irregular_references result = *this;
    const std::uint64_t begin = first * static_cast<std::uint64_t>(block);
    const std::uint64_t rest = threads() - begin;
    const std::uint64_t wanted = count * static_cast<std::uint64_t>(block);
    for (index_array& indices : result.references)
      indices = indices.part(begin, std::min(rest, wanted));
    return result;
  }

  // Does nothing if the launch is one that the algorithms accept; indices are not read.
  // Error: the rule that is broken.
  void require_launch() const {
    if (threads() == 0 || threads() >= no_element)
      rule::references_must_have_threads(static_cast<long long>(references.size()),
                                         static_cast<long long>(threads()));
    for (std::size_t reference = 1; reference < references.size(); ++reference)
      if (references[reference].size() != threads())
        rule::references_must_have_an_index_for_each_thread(
            static_cast<long long>(reference), static_cast<long long>(references[reference].size()),
            static_cast<long long>(threads()));
    if (elements == 0 || elements >= no_element)
      rule::the_data_must_have_1_to_4294967294_elements(static_cast<long long>(elements));
    if (!detail::is_power_of_two(element_bytes) || element_bytes > 16)
      rule::referenced_elements_must_have_1_2_4_8_or_16_bytes(element_bytes);
    for (const int unit : {segment_bytes, line_bytes == 0 ? segment_bytes : line_bytes})
      if (!detail::is_power_of_two(unit) || unit < element_bytes || unit > 1 << 20)
        rule::segments_must_be_powers_of_two(unit, element_bytes);
    if (!detail::is_power_of_two(warp) || warp > 64)
      rule::warps_must_be_powers_of_two_up_to_64(warp);
    if (block < warp || block > 1 << 20 || block % warp != 0)
      rule::blocks_must_be_multiples_of_the_warp(block, warp);
  }

  // Does nothing if each index is one of an element, or no_element if threads may skip.
  // Error: the first index that is not.
  void require_indices() const;

  // require_launch() and require_indices(). All algorithms call it.
  void require_valid() const {
    require_launch();
    require_indices();
  }

  // Does nothing if new data of `places` elements are allowed.
  // Error: they have more bytes than the limit, or more places than 32-bit indices can count.
  void require_places(std::uint64_t places) const {
    if (places >= no_element) rule::places_must_fit_in_32_bits(static_cast<long long>(places));
    const std::uint64_t bytes = places * static_cast<std::uint64_t>(element_bytes);
    if (bytes > byte_limit)
      rule::the_new_data_must_fit_in_the_byte_limit(static_cast<long long>(bytes),
                                                    static_cast<long long>(byte_limit));
  }
};

}  // namespace reorganize

namespace detail {

// Error: the first index of [begin, end) of a reference that is not one of an element; `largest` is
// the largest index there, plus 1 if threads may skip.
inline void require_largest(const reorganize::irregular_references& references,
                            std::size_t reference, std::uint64_t begin, std::uint64_t end,
                            std::uint32_t largest) {
  const reorganize::index_array& indices = references.references[reference];
  const std::uint64_t skip = references.may_skip ? 1 : 0;
  std::uint64_t first_wrong = references.elements + skip;
  if (indices.is_signed()) first_wrong = std::min<std::uint64_t>(first_wrong, 0x80000000u + skip);
  if (largest < first_wrong) return;
  for (std::uint64_t thread = begin; thread < end; ++thread) {
    const std::uint32_t index = indices[thread];
    if (index + static_cast<std::uint32_t>(skip) < first_wrong) continue;
    rule::indices_must_lie_within_the_data(
        static_cast<long long>(reference), static_cast<long long>(thread),
        indices.is_signed() ? static_cast<std::int32_t>(index) : static_cast<long long>(index));
  }
}

// True if both arrays have the same indices.
inline bool have_same_indices(const reorganize::index_array& a, const reorganize::index_array& b) {
  return a.size() == b.size() &&
         (a.data() == b.data() || std::equal(a.data(), a.data() + a.size(), b.data()));
}

// The largest of these indices, each plus `skip` (which turns no_element into 0).
inline std::uint32_t largest_of(const std::uint32_t* indices, std::uint64_t begin,
                                std::uint64_t end, std::uint32_t skip) {
  std::uint32_t largest = 0;
  for (std::uint64_t thread = begin; thread < end; ++thread) {
    const std::uint32_t index = indices[thread] + skip;
    largest = index > largest ? index : largest;
  }
  return largest;
}

}  // namespace detail

inline void reorganize::irregular_references::require_indices() const {
  const std::size_t parts = detail::parts_of(cores, threads(), 1 << 18);
  for (std::size_t reference = 0; reference < references.size(); ++reference) {
    std::vector<std::uint32_t> largest(parts);
    detail::in_parallel(
        parts, threads(), [&](std::uint64_t begin, std::uint64_t end, std::size_t part) {
          largest[part] =
              detail::largest_of(references[reference].data(), begin, end, may_skip ? 1 : 0);
        });
    detail::require_largest(*this, reference, 0, threads(),
                            *std::max_element(largest.begin(), largest.end()));
  }
}

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
