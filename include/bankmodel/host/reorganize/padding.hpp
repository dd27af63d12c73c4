// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_REORGANIZE_PADDING_HPP
#define BANKMODEL_HOST_REORGANIZE_PADDING_HPP

#include <bankmodel/host/reorganize/detail/frequency_order.hpp>
#include <bankmodel/host/reorganize/reorganization.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// Padding: elements sorted by frequency, threads sorted by elements, and a segment begun anew where
// the elements of a warp do not fit.
//
// Source: PPoPP 2013, section 3.3 and figure 3.
namespace bankmodel::reorganize {

// When the elements of a warp go into the segment that is being filled. In both cases they also do
// if the segment has all of them already.
enum class filling : unsigned char {
  // Figure 3: if the empty places are as many as the warp's elements, although the elements that
  // the segment has already are not added again.
  all_elements,
  // If the empty places are as many as the elements that the segment lacks. The accesses are
  // coalesced as well; figure 4 takes 8 places in place of 10.
  missing_elements
};

}  // namespace bankmodel::reorganize

namespace bankmodel::detail {

// Puts the elements of warps into segments, one warp after the other.
class segment_filler {
 public:
  segment_filler(const reorganize::irregular_references& references, reorganize::filling fill)
      : references_(references),
        filling_(fill),
        segment_(references.segment_elements()),
        different_(max_lanes) {
    place_.assign(references.elements, reorganize::no_element);
  }

  // Adds the elements of a warp: element(lane) for each of `lanes`. Then place(element) is that of
  // each until the next warp is added.
  template <class Element>
  void add(std::uint64_t lanes, const Element& element) {
    std::uint64_t count = 0, missing = 0;
    different_.clear();
    for (std::uint64_t lane = 0; lane < lanes; ++lane) {
      const std::uint32_t number = element(lane);
      if (number == reorganize::no_element || !different_.insert(number)) continue;
      warp_[count++] = number;
      missing += !is_in_segment(number);
    }
    const std::uint64_t empty = segment_begin_ + segment_ - places_.size();
    const std::uint64_t needed = filling_ == reorganize::filling::all_elements ? count : missing;
    if (missing == 0) return;
    if (needed > empty) begin_segment();
    for (std::uint64_t slot = 0; slot < count; ++slot) {
      if (is_in_segment(warp_[slot])) continue;
      place_[warp_[slot]] = static_cast<std::uint32_t>(places_.size());
      places_.push_back(warp_[slot]);
    }
    references_.require_places(places_.size());
    // A warp with more elements than a segment has fills several.
    if (places_.size() > segment_begin_ + segment_)
      segment_begin_ = (places_.size() - 1) / segment_ * segment_;
  }
  std::uint32_t place(std::uint32_t element) const {
    return element == reorganize::no_element ? element : place_[element];
  }
  std::vector<std::uint32_t> places() { return std::move(places_); }

 private:
  bool is_in_segment(std::uint32_t element) const {
    return place_[element] != reorganize::no_element && place_[element] >= segment_begin_;
  }
  void begin_segment() {
    segment_begin_ = (places_.size() + segment_ - 1) / segment_ * segment_;
    places_.resize(segment_begin_, reorganize::no_element);
  }

  const reorganize::irregular_references& references_;
  reorganize::filling filling_;
  std::uint64_t segment_, segment_begin_ = 0;
  small_map different_;
  std::uint32_t warp_[max_lanes] = {};
  std::vector<std::uint32_t> place_, places_;  // of each element the latest place; the data order
};

}  // namespace bankmodel::detail

namespace bankmodel::reorganize {

// Returns new data in which the elements of each request are in one segment, or, if they are more,
// in the fewest segments, and threads ordered so that those which access one element are in one
// warp.
//
// The threads are ordered for the first reference. The other references get places of their own in
// the same order of threads, unless they have the same indices: all requests are coalesced, but
// only references with one pattern save space. What else the kernel indexes by thread must
// follow: new thread t is old thread thread_order[t] (in_order() does it for arrays).
//
// Space: with one pattern and segments that are a multiple of a warp's elements, not more segments
// than duplicate() takes; elements have copies in two segments only if one warp begins the second.
// Time: O(elements + references * threads). Needs the whole index arrays.
// Error: references that require_valid() rejects; more bytes than the limit.
// Example: figure 4, 22 threads in warps of 4, segments of 4 elements, a to h; "_" is a place
// without an element:
//
//   std::vector<int> P;
//   for (const char element : std::string("aabbccddeeaabbcdefghaa")) P.push_back(element - 'a');
//   const irregular_references kernel{.references = {index_array(P)}, .elements = 8, .warp = 4,
//                                     .block = 16, .segment_bytes = 16};
//   std::string order;
//   for (const std::uint32_t element : pad(kernel).data_order)
//     order += element == no_element ? '_' : static_cast<char>('a' + element);
//   assert(order == "abc_cdefgh");
inline reorganization pad(const irregular_references& references,
                          filling fill = filling::all_elements) {
  references.require_valid();
  reorganization result;
  {
    const detail::accessed_elements accessed(references.references[0], references.elements);
    result.thread_order = detail::threads_by_element(references.references[0],
                                                     detail::by_frequency(accessed), accessed);
  }
  const std::uint64_t warp = static_cast<std::uint64_t>(references.warp);
  detail::segment_filler filler(references, fill);
  result.indices.resize(references.references.size());
  for (std::size_t reference = 0; reference < references.references.size(); ++reference) {
    const index_array& old = references.references[reference];
    std::vector<std::uint32_t>& indices = result.indices[reference];
    std::size_t same = 0;
    while (same < reference && !detail::have_same_indices(references.references[same], old)) ++same;
    if (same < reference) {
      indices = result.indices[same];
      continue;
    }
    indices.resize(references.threads());
    for (std::uint64_t begin = 0; begin < references.threads(); begin += warp) {
      const std::uint64_t lanes = std::min(warp, references.threads() - begin);
      const auto element = [&](std::uint64_t lane) {
        return old[result.thread_order[begin + lane]];
      };
      filler.add(lanes, element);
      for (std::uint64_t lane = 0; lane < lanes; ++lane)
        indices[begin + lane] = filler.place(element(lane));
    }
  }
  result.data_order = filler.places();
  return result;
}

}  // namespace bankmodel::reorganize

#include <bankmodel/core/restore_macros.hpp>

#endif
