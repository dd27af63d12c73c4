// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_REORGANIZE_REFERENCE_TRAFFIC_HPP
#define BANKMODEL_HOST_REORGANIZE_REFERENCE_TRAFFIC_HPP

#include <bankmodel/global/transactions.hpp>
#include <bankmodel/host/reorganize/detail/small_set.hpp>
#include <bankmodel/host/reorganize/irregular_references.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// The transactions of irregular references, counted request by request.
//
// A request is one reference made by one warp. It takes one transaction for each segment that its
// threads touch: the rule `sectors` of global/transactions.hpp. Source: PPoPP 2013, section 2.1,
// where a reference with K transactions for D bytes is non-coalesced if K > ceil(D / S).
namespace bankmodel::rule {
[[noreturn]] BANKMODEL_FN void the_warps_must_be_those_of_the_machine(long long warp,
                                                                      long long lanes) {
  detail::fail(__func__,
               "the references are of warps of % threads, the machine's have % lanes; set .warp to "
               "the machine's .lanes",
               warp, lanes);
}
}  // namespace bankmodel::rule

namespace bankmodel::reorganize {

// The traffic of references. For other rules of coalescing than `sectors` see traffic(machine, ..).
struct reference_traffic : memory_traffic {
  std::uint64_t non_coalesced = 0;  // requests with more transactions than their bytes need

  // Adds the traffic of other requests. Error: a count overflows 64 bits.
  void add(const reference_traffic& other) {
    static_cast<memory_traffic&>(*this) = static_cast<const memory_traffic&>(*this) + other;
    non_coalesced += other.non_coalesced;
  }
  friend bool operator==(const reference_traffic& a, const reference_traffic& b) {
    return static_cast<const memory_traffic&>(a) == static_cast<const memory_traffic&>(b) &&
           a.non_coalesced == b.non_coalesced;
  }
};

}  // namespace bankmodel::reorganize

namespace bankmodel::detail {

// Counts requests, one after the other.
class request_counter {
 public:
  request_counter(int element_bytes, int segment_bytes, int line_bytes)
      : element_bytes_(static_cast<std::uint64_t>(element_bytes)),
        segment_bytes_(static_cast<std::uint64_t>(segment_bytes)),
        segment_(twos(segment_bytes / element_bytes)),
        line_(line_bytes == 0 ? -1 : twos(line_bytes / element_bytes)) {
    sum_.method = method::each_request;
  }

  // index(thread) is the place of each thread of [begin, end), the threads of one warp.
  template <class Index>
  void count(std::uint64_t begin, std::uint64_t end, const Index& index) {
    std::uint64_t different = 0, segments = 0, lines = 0;
    std::uint32_t last = reorganize::no_element, last_segment = last, last_line = last;
    for (small_map* map : {&elements_, &segments_, &lines_}) map->clear();
    for (std::uint64_t thread = begin; thread < end; ++thread) {
      const std::uint32_t place = index(thread);
      if (place == last || place == reorganize::no_element) continue;
      last = place;
      if (!elements_.insert(place)) continue;
      ++different;
      if (place >> segment_ != last_segment) segments += segments_.insert(place >> segment_);
      last_segment = place >> segment_;
      if (line_ < 0) continue;
      if (place >> line_ != last_line) lines += lines_.insert(place >> line_);
      last_line = place >> line_;
    }
    if (different == 0) return;
    const std::uint64_t bytes = different * element_bytes_;
    const std::uint64_t ideal = (bytes + segment_bytes_ - 1) / segment_bytes_;
    ++sum_.requests;
    sum_.transactions += segments;
    sum_.ideal += ideal;
    sum_.lines += lines;
    sum_.bytes_used += bytes;
    sum_.bytes_moved += segments * segment_bytes_;
    if (segments > ideal) ++sum_.non_coalesced;
  }
  const reorganize::reference_traffic& sum() const { return sum_; }

 private:
  static int twos(int value) { return trailing_zeros(static_cast<std::uint64_t>(value)); }
  std::uint64_t element_bytes_, segment_bytes_;
  int segment_, line_;
  small_map elements_{max_lanes}, segments_{max_lanes}, lines_{max_lanes};
  reorganize::reference_traffic sum_;
};

// The traffic of references of which index(reference, thread) are the places, no_element for a
// thread without an access.
template <class Index>
reorganize::reference_traffic counted_traffic(const reorganize::irregular_references& references,
                                              const Index& index) {
  const std::uint64_t threads = references.threads(),
                      warp = static_cast<std::uint64_t>(references.warp);
  const std::size_t parts = parts_of(references.cores, references.warps(), 1 << 12);
  std::vector<reorganize::reference_traffic> sums(parts);
  in_parallel(
      parts, references.warps(), [&](std::uint64_t first, std::uint64_t last, std::size_t part) {
        request_counter counter(references.element_bytes, references.segment_bytes,
                                references.line_bytes);
        for (std::uint64_t warp_number = first; warp_number < last; ++warp_number)
          for (std::size_t reference = 0; reference < references.references.size(); ++reference)
            counter.count(warp_number * warp, std::min(threads, (warp_number + 1) * warp),
                          [&](std::uint64_t thread) { return index(reference, thread); });
        sums[part] = counter.sum();
      });
  reorganize::reference_traffic sum;
  for (const reorganize::reference_traffic& part_sum : sums) sum.add(part_sum);
  return sum;
}

}  // namespace bankmodel::detail

namespace bankmodel::reorganize {

// Returns the traffic of the references as they are. The array begins on a line.
// Time: O(references * threads); memory: none that grows.
// Error: references that require_valid() rejects.
// Example: 32 threads that read floats 32 elements apart:
//
//   std::vector<int> P(32);
//   for (int thread = 0; thread < 32; ++thread) P[thread] = 32 * thread;
//   const irregular_references kernel{.references = {index_array(P)}, .elements = 1024};
//   const auto moved = traffic(kernel);
//   assert(moved.requests == 1 && moved.transactions == 32 && moved.ideal == 4);
//   assert(moved.non_coalesced == 1 && moved.bytes_used == 128 && moved.bytes_moved == 1024);
inline reference_traffic traffic(const irregular_references& references) {
  references.require_valid();
  return detail::counted_traffic(references, [&](std::size_t reference, std::uint64_t thread) {
    return references.references[reference][thread];
  });
}

// Returns the traffic of the references on a machine, by its own rule of coalescing. Segments and
// lines are those of the machine, not of `references`.
// Error: the machine's warps do not have references.warp threads; as for traffic(machine, request).
// Example: the same threads, and loads that move lines of 128 bytes:
//
//   std::vector<int> P(32);
//   for (int thread = 0; thread < 32; ++thread) P[thread] = 32 * thread;
//   const irregular_references kernel{.references = {index_array(P)}, .elements = 1024};
//   const auto moved = traffic(nvidia::sm_20, kernel);
//   assert(moved.transactions == 32 && moved.bytes_moved == 32 * 128);
inline memory_traffic traffic(const machine& m, const irregular_references& references) {
  references.require_valid();
  m.require_valid();
  if (m.lanes != references.warp)
    rule::the_warps_must_be_those_of_the_machine(references.warp, m.lanes);
  const std::uint64_t warp = static_cast<std::uint64_t>(references.warp);
  memory_traffic sum;
  for (std::uint64_t begin = 0; begin < references.threads(); begin += warp)
    for (const index_array& indices : references.references) {
      request warp_request;
      warp_request.bytes = references.element_bytes;
      for (std::uint64_t lane = 0; lane < warp && begin + lane < references.threads(); ++lane) {
        const std::uint32_t index = indices[begin + lane];
        if (index == no_element) continue;
        warp_request.active |= std::uint64_t{1} << lane;
        warp_request.address[lane] = static_cast<long long>(index) * references.element_bytes;
      }
      sum = sum + bankmodel::traffic(m, warp_request);
    }
  sum.method = method::each_request;
  return sum;
}

}  // namespace bankmodel::reorganize

#include <bankmodel/core/restore_macros.hpp>

#endif
