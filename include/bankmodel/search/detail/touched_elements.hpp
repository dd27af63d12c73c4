// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_TOUCHED_ELEMENTS_HPP
#define BANKMODEL_SEARCH_DETAIL_TOUCHED_ELEMENTS_HPP

#include <bankmodel/count/request_class.hpp>
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

class touched_elements {
 public:
  static constexpr int most_shapes = 256;

  BANKMODEL_FN touched_elements() {}

  // Starts to collect the requests to another array. Returns false if the array is too large.
  BANKMODEL_FN bool begin(const machine& m, const array_description& declared) {
    full_ = packed(declared.layout).required_size() > 1 << 30;
    shapes_ = count_ = relatives_ = 0;
    buckets_ = __builtin_is_constant_evaluated() ? 64 : most_buckets;
    for (int at = 0; at < buckets_ && !full_; ++at) first_[at] = -1;
    element_bytes_ = declared.element_bytes;
    lanes_ = m.lanes;
    return !full_;
  }
  // Sets how often each of the next classes is counted.
  BANKMODEL_FN void count_each(std::uint64_t times) { times_each_ = times; }

  // Adds the requests of one class. Its addresses are packed coordinates, times the bytes of an
  // element.
  // Requires: begin().
  BANKMODEL_FN void operator()(const request_class& one) {
    if (full_) return;
    int number = seen_shape(one.lanes);
    if (number < 0) number = new_shape(one.lanes);
    if (full_) return;
    for_each_base(one, [&](long long base, std::uint64_t times) {
      insert(number, base / element_bytes_, checked_count_product(times, times_each_));
      return !full_;
    });
  }

  // Makes is_full() true.
  BANKMODEL_FN void give_up() { full_ = true; }
  // True if there are more different requests, or shapes of them, than can be stored.
  BANKMODEL_FN bool is_full() const { return full_; }

  BANKMODEL_FN int lanes() const { return lanes_; }
  BANKMODEL_FN int element_bytes() const { return element_bytes_; }

  // The different requests.
  BANKMODEL_FN int count() const { return count_; }
  BANKMODEL_FN const footprint& operator[](int at) const { return all_[at]; }
  BANKMODEL_FN void exchange(int one, int other) {
    const footprint kept = all_[one];
    all_[one] = all_[other];
    all_[other] = kept;
  }

  // Their shapes.
  BANKMODEL_FN int shapes() const { return shapes_; }
  BANKMODEL_FN const shape_of_lanes& shape(int number) const { return shape_[number]; }
  // The elements of a shape's lanes in the order of the lanes, and its different elements.
  BANKMODEL_FN const int* each_lane(const shape_of_lanes& of) const {
    return relative_ + of.relatives;
  }
  BANKMODEL_FN const int* each_different(const shape_of_lanes& of) const {
    return relative_ + of.relatives + of.lanes;
  }

  // True if all accesses are served by layers: then a layout without a conflict only needs
  // elements in different banks.
  BANKMODEL_FN bool plainly_served(const machine& m) const {
    for (int at = 0; at < shapes_; ++at)
      if (!m.served(shape_[at].bytes, shape_[at].kind).is_plain()) return false;
    return true;
  }

  // Calls visit(numbers, count, bytes) with the packed coordinates of the elements that each
  // phase of each request touches.
  template <class Visit>
  BANKMODEL_FN void each_phase(const machine& m, Visit& visit) const {
    for (int at = 0; at < count_; ++at) {
      const shape_of_lanes& shape = shape_[all_[at].shape];
      const lane_groups phases = m.served(shape.bytes, shape.kind).phases;
      for (int phase = 0; phase < 1 << phases.bits(); ++phase) {
        long long number[max_lanes];
        int lanes = 0, place = shape.relatives;
        for (int lane = 0; lane < lanes_; ++lane) {
          if ((shape.active >> lane & 1) == 0) continue;
          if ((phases.lanes_of(phase) >> lane & 1) != 0)
            number[lanes++] = all_[at].number + relative_[place];
          ++place;
        }
        if (lanes > 1 && !visit(number, lanes, shape.bytes)) return;
      }
    }
  }

 private:
  BANKMODEL_FN int seen_shape(const request& of) const {
    for (int at = shapes_ - 1; at >= 0; --at) {
      const shape_of_lanes& shape = shape_[at];
      if (shape.active != of.active || shape.bytes != of.bytes || shape.kind != of.kind) continue;
      int place = shape.relatives;
      bool same = true;
      for (int lane = 0; lane < lanes_ && same; ++lane)
        if ((of.active >> lane & 1) != 0)
          same = of.address[lane] == static_cast<long long>(relative_[place++]) * element_bytes_;
      if (same) return at;
    }
    return -1;
  }
  BANKMODEL_FN int new_shape(const request& of) {
    full_ = full_ || shapes_ == most_shapes || relatives_ + 2 * lanes_ > most_relatives;
    if (full_) return 0;
    shape_of_lanes& shape = shape_[shapes_];
    shape.active = of.active;
    shape.bytes = of.bytes;
    shape.kind = of.kind;
    shape.relatives = relatives_;
    for (int lane = 0; lane < lanes_; ++lane)
      if ((of.active >> lane & 1) != 0)
        relative_[relatives_++] = static_cast<int>(of.address[lane] / element_bytes_);
    shape.lanes = relatives_ - shape.relatives;
    for (int lane = 0; lane < shape.lanes; ++lane) {
      const int here = relative_[shape.relatives + lane];
      bool again = lane > 0 && here == relative_[relatives_ - 1];
      for (int before = shape.relatives + shape.lanes; before < relatives_ && !again; ++before)
        again = relative_[before] == here;
      if (!again) relative_[relatives_++] = here;
    }
    shape.different = relatives_ - shape.relatives - shape.lanes;
    return shapes_++;
  }

  BANKMODEL_FN void insert(int shape, long long number, std::uint64_t times) {
    const auto key = (static_cast<std::uint64_t>(number) * 64 + static_cast<std::uint64_t>(shape)) *
                     0x9e3779b97f4a7c15u;
    int& first = first_[static_cast<int>(key >> 40) & (buckets_ - 1)];
    for (int at = first; at >= 0; at = next_[at])
      if (all_[at].number == number && all_[at].shape == shape) {
        all_[at].times = checked_count_sum(all_[at].times, times);
        return;
      }
    if (count_ == most_footprints) {
      full_ = true;
      return;
    }
    all_[count_] = {shape, number, times};
    next_[count_] = first;
    first = count_++;
  }

  static constexpr int most_relatives = 16384, most_footprints = 4096, most_buckets = 4096;

  int shapes_ = 0, relatives_ = 0, count_ = 0, buckets_ = 0, element_bytes_ = 1, lanes_ = 0;
  std::uint64_t times_each_ = 1;
  bool full_ = false;
  shape_of_lanes shape_[most_shapes];
  int relative_[most_relatives];
  footprint all_[most_footprints];
  int first_[most_buckets], next_[most_footprints];
};

}  // namespace bankmodel::detail

#endif
