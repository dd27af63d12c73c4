// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_TOUCHED_ELEMENTS_HPP
#define BANKMODEL_SEARCH_DETAIL_TOUCHED_ELEMENTS_HPP

#include <bankmodel/count/for_each_base.hpp>
#include <bankmodel/kernel/array.hpp>
#include <bankmodel/search/detail/prepared.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The elements of one array that requests touch, whatever its layout: request classes, expanded
// over their bases, and equal requests counted once.
namespace bankmodel::detail {

// All are trivial types: members that are not set cost nothing in a constant expression.

// The lanes of a request relative to the element of its first lane.
struct shape_of_lanes {
  std::uint64_t active;
  int bytes;
  access_kind kind;
  int lanes, relatives;  // their number, and the index of the first one's element
  // The lowest of these elements, and the union of the bits of all minus it.
  int lowest, bits_above_lowest;
  // Those that are not empty, after merging. Each follows the lanes with the number of its
  // different elements, and these.
  int phases, most_in_a_phase;  // their number, and that of the different elements of the largest
};
struct footprint {
  int shape;
  long long number;  // the packed coordinates of the element that its first lane touches
  std::uint64_t times;
};

struct touched_elements {
  static constexpr int most_shapes = 256, most_relatives = 16384, most_footprints = 4096;

  int lanes = 0, element_bytes = 1;  // of a warp, of the array
  std::uint64_t times_each = 1;      // how often each class is counted that is added next
  bool full = false;    // there are more different requests, or shapes of them, than can be stored
  long long steps = 0;  // of clang, to add all since begin()

  int count = 0;  // of different requests
  footprint list[most_footprints];
  int shapes = 0;
  shape_of_lanes shape[most_shapes];
  int element[most_relatives];  // of the lanes of each shape, then of its phases

  BANKMODEL_FN touched_elements() {}

  // Starts to collect the requests to another array. Returns false if the array is too large.
  BANKMODEL_FN bool begin(const machine& m, const array_description& declared) {
    full = packed(declared.layout).required_size() > 1 << 30;
    shapes = count = relatives_ = 0;
    steps = 600;
    for (int bucket = 0; bucket < buckets && !full; ++bucket) first_[bucket] = -1;
    element_bytes = declared.element_bytes;
    lanes = m.lanes;
    machine_ = &m;
    return !full;
  }
  // Adds the requests of one class. Its addresses are packed coordinates, times the bytes of an
  // element.
  // Requires: begin().
  BANKMODEL_FN void operator()(const request_class& requests) {
    if (full) return;
    int number = seen_shape(requests.lanes);
    if (number < 0) number = new_shape(requests.lanes);
    if (full) return;
    for_each_base(requests, [&](long long base, std::uint64_t times) {
      insert(number, base / element_bytes, checked_count_product(times, times_each));
      return !full;
    });
  }

  // True if all accesses are served by layers: then a layout without a conflict only needs
  // elements in different banks.
  BANKMODEL_FN bool plainly_served(const machine& m) const {
    for (int index = 0; index < shapes; ++index)
      if (!m.served(shape[index].bytes, shape[index].kind).is_plain()) return false;
    return true;
  }

  // The first phase of a shape: the number of its elements, which follow it. The next phase follows
  // these.
  BANKMODEL_FN const int* phases_of_shape(const shape_of_lanes& outline) const {
    return element + outline.relatives + outline.lanes;
  }
  // Calls visit(numbers, count, bytes) with the packed coordinates of the different elements that
  // each phase of each request touches, if they are several.
  template <class Visit>
  BANKMODEL_FN void each_phase(Visit& visit) const {
    for (int index = 0; index < count; ++index) {
      const shape_of_lanes& outline = shape[list[index].shape];
      const int* next = phases_of_shape(outline);
      for (int phase = 0; phase < outline.phases; ++phase) {
        long long number[max_lanes];
        const int different = *next++;
        for (int k = 0; k < different; ++k) number[k] = list[index].number + *next++;
        if (different > 1 && !visit(number, different, outline.bytes)) return;
      }
    }
  }

 private:
  BANKMODEL_FN int seen_shape(const request& pattern) {
    for (int index = shapes - 1; index >= 0; --index) {
      const shape_of_lanes& seen = shape[index];
      steps += 8;
      if (seen.active != pattern.active || seen.bytes != pattern.bytes || seen.kind != pattern.kind)
        continue;
      int place = seen.relatives;
      bool same = true;
      steps += 4ll * lanes;
      for (int lane = 0; lane < lanes && same; ++lane)
        if ((pattern.active >> lane & 1) != 0)
          same = pattern.address[lane] == static_cast<long long>(element[place++]) * element_bytes;
      if (same) return index;
    }
    return -1;
  }
  BANKMODEL_FN int new_shape(const request& pattern) {
    full = full || shapes == most_shapes || relatives_ + 2 * lanes + most_phases > most_relatives;
    if (full) return 0;
    shape_of_lanes& added = shape[shapes];
    added.active = pattern.active;
    added.bytes = pattern.bytes;
    added.kind = pattern.kind;
    added.relatives = relatives_;
    for (std::uint64_t rest = pattern.active; rest != 0; rest &= rest - 1)
      element[relatives_++] =
          static_cast<int>(pattern.address[trailing_zeros(rest)] / element_bytes);
    added.lanes = relatives_ - added.relatives;
    steps += 200 + 12ll * added.lanes;
    added.lowest = added.bits_above_lowest = 0;
    for (int relative = added.relatives; relative < relatives_; ++relative)
      if (element[relative] < added.lowest) added.lowest = element[relative];
    for (int relative = added.relatives; relative < relatives_; ++relative)
      added.bits_above_lowest |= element[relative] - added.lowest;
    added.phases = added.most_in_a_phase = 0;
    const lane_groups phases = phases_of(*machine_, pattern);
    for (int phase = 0; phase < 1 << phases.bits(); ++phase) {
      const std::uint64_t served = pattern.active & phases.lanes_of(phase);
      if (served == 0) continue;
      const int different = add_different(pattern.active, served, element + added.relatives);
      if (different > added.most_in_a_phase) added.most_in_a_phase = different;
      ++added.phases;
      steps += 20 + 6ll * added.lanes + static_cast<long long>(different) * different;
    }
    return shapes++;
  }
  // Adds the number of the different elements of some lanes, and these; returns the number.
  // `of_lanes`: the elements of all active lanes.
  BANKMODEL_FN int add_different(std::uint64_t active, std::uint64_t lanes_of_phase,
                                 const int* of_lanes) {
    int& different = element[relatives_++];
    different = 0;
    for (; active != 0; active &= active - 1, ++of_lanes) {
      if ((active & -active & lanes_of_phase) == 0) continue;
      // Lanes that share an element are mostly neighbours.
      bool repeated = different > 0 && *of_lanes == element[relatives_ - 1];
      for (int earlier = relatives_ - different; earlier < relatives_ && !repeated; ++earlier)
        repeated = element[earlier] == *of_lanes;
      if (repeated) continue;
      element[relatives_++] = *of_lanes;
      ++different;
    }
    return different;
  }

  BANKMODEL_FN void insert(int shape_number, long long number, std::uint64_t times) {
    const auto key =
        (static_cast<std::uint64_t>(number) * 64 + static_cast<std::uint64_t>(shape_number)) *
        0x9e3779b97f4a7c15u;
    int& first = first_[static_cast<int>(key >> 40) & (buckets - 1)];
    steps += 30;
    for (int entry = first; entry >= 0; entry = next_[entry], steps += 4)
      if (list[entry].number == number && list[entry].shape == shape_number) {
        list[entry].times = checked_count_sum(list[entry].times, times);
        return;
      }
    if (count == most_footprints) {
      full = true;
      return;
    }
    list[count] = {shape_number, number, times};
    next_[count] = first;
    first = count++;
  }

  static constexpr int buckets = 256, most_phases = 8;

  const machine* machine_ = nullptr;  // of begin()
  int relatives_ = 0;
  int first_[buckets], next_[most_footprints];
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
