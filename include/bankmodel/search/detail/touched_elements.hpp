// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_TOUCHED_ELEMENTS_HPP
#define BANKMODEL_SEARCH_DETAIL_TOUCHED_ELEMENTS_HPP

#include <bankmodel/count/for_each_base.hpp>
#include <bankmodel/kernel/array.hpp>
#include <bankmodel/search/detail/prepared.hpp>

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
  footprint each[most_footprints];
  int shapes = 0;
  shape_of_lanes shape[most_shapes];
  int element[most_relatives];  // of the lanes of each shape, then of its phases

  BANKMODEL_FN touched_elements() {}

  // Starts to collect the requests to another array. Returns false if the array is too large.
  BANKMODEL_FN bool begin(const machine& m, const array_description& declared) {
    full = packed(declared.layout).required_size() > 1 << 30;
    shapes = count = relatives_ = 0;
    steps = 600;
    for (int at = 0; at < buckets && !full; ++at) first_[at] = -1;
    element_bytes = declared.element_bytes;
    lanes = m.lanes;
    machine_ = &m;
    return !full;
  }
  // Adds the requests of one class. Its addresses are packed coordinates, times the bytes of an
  // element.
  // Requires: begin().
  BANKMODEL_FN void operator()(const request_class& one) {
    if (full) return;
    int number = seen_shape(one.lanes);
    if (number < 0) number = new_shape(one.lanes);
    if (full) return;
    for_each_base(one, [&](long long base, std::uint64_t times) {
      insert(number, base / element_bytes, checked_count_product(times, times_each));
      return !full;
    });
  }

  // True if all accesses are served by layers: then a layout without a conflict only needs
  // elements in different banks.
  BANKMODEL_FN bool plainly_served(const machine& m) const {
    for (int at = 0; at < shapes; ++at)
      if (!m.served(shape[at].bytes, shape[at].kind).is_plain()) return false;
    return true;
  }

  // The first phase of a shape: the number of its elements, which follow it. The next phase follows
  // these.
  BANKMODEL_FN const int* phases_of_shape(const shape_of_lanes& of) const {
    return element + of.relatives + of.lanes;
  }
  // Calls visit(numbers, count, bytes) with the packed coordinates of the different elements that
  // each phase of each request touches, if they are several.
  template <class Visit>
  BANKMODEL_FN void each_phase(Visit& visit) const {
    for (int at = 0; at < count; ++at) {
      const shape_of_lanes& of = shape[each[at].shape];
      const int* next = phases_of_shape(of);
      for (int phase = 0; phase < of.phases; ++phase) {
        long long number[max_lanes];
        const int different = *next++;
        for (int k = 0; k < different; ++k) number[k] = each[at].number + *next++;
        if (different > 1 && !visit(number, different, of.bytes)) return;
      }
    }
  }

 private:
  BANKMODEL_FN int seen_shape(const request& of) {
    for (int at = shapes - 1; at >= 0; --at) {
      const shape_of_lanes& seen = shape[at];
      steps += 8;
      if (seen.active != of.active || seen.bytes != of.bytes || seen.kind != of.kind) continue;
      int place = seen.relatives;
      bool same = true;
      steps += 4ll * lanes;
      for (int lane = 0; lane < lanes && same; ++lane)
        if ((of.active >> lane & 1) != 0)
          same = of.address[lane] == static_cast<long long>(element[place++]) * element_bytes;
      if (same) return at;
    }
    return -1;
  }
  BANKMODEL_FN int new_shape(const request& of) {
    full = full || shapes == most_shapes || relatives_ + 2 * lanes + most_phases > most_relatives;
    if (full) return 0;
    shape_of_lanes& made = shape[shapes];
    made.active = of.active;
    made.bytes = of.bytes;
    made.kind = of.kind;
    made.relatives = relatives_;
    for (std::uint64_t rest = of.active; rest != 0; rest &= rest - 1)
      element[relatives_++] = static_cast<int>(of.address[trailing_zeros(rest)] / element_bytes);
    made.lanes = relatives_ - made.relatives;
    steps += 200 + 12ll * made.lanes;
    made.lowest = made.bits_above_lowest = 0;
    for (int at = made.relatives; at < relatives_; ++at)
      if (element[at] < made.lowest) made.lowest = element[at];
    for (int at = made.relatives; at < relatives_; ++at)
      made.bits_above_lowest |= element[at] - made.lowest;
    made.phases = made.most_in_a_phase = 0;
    const lane_groups phases = phases_of(*machine_, of);
    for (int phase = 0; phase < 1 << phases.bits(); ++phase) {
      const std::uint64_t served = of.active & phases.lanes_of(phase);
      if (served == 0) continue;
      const int different = add_different(of.active, served, element + made.relatives);
      if (different > made.most_in_a_phase) made.most_in_a_phase = different;
      ++made.phases;
      steps += 20 + 6ll * made.lanes + static_cast<long long>(different) * different;
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
      bool again = different > 0 && *of_lanes == element[relatives_ - 1];
      for (int before = relatives_ - different; before < relatives_ && !again; ++before)
        again = element[before] == *of_lanes;
      if (again) continue;
      element[relatives_++] = *of_lanes;
      ++different;
    }
    return different;
  }

  BANKMODEL_FN void insert(int of, long long number, std::uint64_t times) {
    const auto key = (static_cast<std::uint64_t>(number) * 64 + static_cast<std::uint64_t>(of)) *
                     0x9e3779b97f4a7c15u;
    int& first = first_[static_cast<int>(key >> 40) & (buckets - 1)];
    steps += 30;
    for (int at = first; at >= 0; at = next_[at], steps += 4)
      if (each[at].number == number && each[at].shape == of) {
        each[at].times = checked_count_sum(each[at].times, times);
        return;
      }
    if (count == most_footprints) {
      full = true;
      return;
    }
    each[count] = {of, number, times};
    next_[count] = first;
    first = count++;
  }

  static constexpr int buckets = 256, most_phases = 8;

  const machine* machine_ = nullptr;  // of begin()
  int relatives_ = 0;
  int first_[buckets], next_[most_footprints];
};

}  // namespace bankmodel::detail

#endif
