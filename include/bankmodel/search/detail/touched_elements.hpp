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
  int different;         // different elements; they follow those of the lanes
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
  bool full = false;  // there are more different requests, or shapes of them, than can be stored

  int count = 0;  // of different requests
  footprint each[most_footprints];
  int shapes = 0;
  shape_of_lanes shape[most_shapes];
  int element[most_relatives];  // of the lanes of each shape, then its different ones

  BANKMODEL_FN touched_elements() {}

  // Starts to collect the requests to another array. Returns false if the array is too large.
  BANKMODEL_FN bool begin(const machine& m, const array_description& declared) {
    full = packed(declared.layout).required_size() > 1 << 30;
    shapes = count = relatives_ = 0;
    for (int at = 0; at < buckets && !full; ++at) first_[at] = -1;
    element_bytes = declared.element_bytes;
    lanes = m.lanes;
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

  // Calls visit(numbers, count, bytes) with the packed coordinates of the elements that each
  // phase of each request touches.
  template <class Visit>
  BANKMODEL_FN void each_phase(const machine& m, Visit& visit) const {
    for (int at = 0; at < count; ++at) {
      const shape_of_lanes& of = shape[each[at].shape];
      const lane_groups phases = m.served(of.bytes, of.kind).phases;
      for (int phase = 0; phase < 1 << phases.bits(); ++phase) {
        long long number[max_lanes];
        int found = 0, place = of.relatives;
        for (int lane = 0; lane < lanes; ++lane) {
          if ((of.active >> lane & 1) == 0) continue;
          if ((phases.lanes_of(phase) >> lane & 1) != 0)
            number[found++] = each[at].number + element[place];
          ++place;
        }
        if (found > 1 && !visit(number, found, of.bytes)) return;
      }
    }
  }

 private:
  BANKMODEL_FN int seen_shape(const request& of) const {
    for (int at = shapes - 1; at >= 0; --at) {
      const shape_of_lanes& seen = shape[at];
      if (seen.active != of.active || seen.bytes != of.bytes || seen.kind != of.kind) continue;
      int place = seen.relatives;
      bool same = true;
      for (int lane = 0; lane < lanes && same; ++lane)
        if ((of.active >> lane & 1) != 0)
          same = of.address[lane] == static_cast<long long>(element[place++]) * element_bytes;
      if (same) return at;
    }
    return -1;
  }
  BANKMODEL_FN int new_shape(const request& of) {
    full = full || shapes == most_shapes || relatives_ + 2 * lanes > most_relatives;
    if (full) return 0;
    shape_of_lanes& made = shape[shapes];
    made.active = of.active;
    made.bytes = of.bytes;
    made.kind = of.kind;
    made.relatives = relatives_;
    for (int lane = 0; lane < lanes; ++lane)
      if ((of.active >> lane & 1) != 0)
        element[relatives_++] = static_cast<int>(of.address[lane] / element_bytes);
    made.lanes = relatives_ - made.relatives;
    for (int lane = 0; lane < made.lanes; ++lane) {
      const int here = element[made.relatives + lane];
      bool again = lane > 0 && here == element[relatives_ - 1];
      for (int before = made.relatives + made.lanes; before < relatives_ && !again; ++before)
        again = element[before] == here;
      if (!again) element[relatives_++] = here;
    }
    made.different = relatives_ - made.relatives - made.lanes;
    return shapes++;
  }

  BANKMODEL_FN void insert(int of, long long number, std::uint64_t times) {
    const auto key = (static_cast<std::uint64_t>(number) * 64 + static_cast<std::uint64_t>(of)) *
                     0x9e3779b97f4a7c15u;
    int& first = first_[static_cast<int>(key >> 40) & (buckets - 1)];
    for (int at = first; at >= 0; at = next_[at])
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

  static constexpr int buckets = 256;

  int relatives_ = 0;
  int first_[buckets], next_[most_footprints];
};

}  // namespace bankmodel::detail

#endif
