// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_CLASS_IN_LAYOUT_HPP
#define BANKMODEL_SEARCH_DETAIL_CLASS_IN_LAYOUT_HPP

#include <bankmodel/search/detail/kernel_access.hpp>
#include <bankmodel/search/detail/lanes_in_line.hpp>

// A request class of an array in any layout.
//
// Classes hold addresses in packed rows, from which the coordinates of each element follow. In a
// layout with strides, the lanes of a class are again at fixed distances, and a loop has again one
// step, if no lane gets from one row into the next: then each coordinate changes by a constant in
// every trip. A loop that leaves a row is split: for a row of R elements, every p-th trip stays in
// its column if p * step is a multiple of R, so these trips are one progression, and there are p
// of them.
//
// Example: one lane at step 4 bytes in 64 trips of float a[2][32]. In packed rows it is one
// progression. In rows of 33 floats it is 32 progressions of 2 trips, 132 bytes apart.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void wide_requests_must_lie_in_one_row(long long elements,
                                                                 long long column,
                                                                 long long columns) {
  detail::fail(__func__,
               "a lane accesses % elements from column % of a row of % elements on, and the next "
               "row need not follow it in memory; describe the two parts as two requests",
               elements, column, columns);
}
}  // namespace rule

namespace detail {

// The progressions of one walk, and about the steps for them.
struct work_of_a_walk {
  long long most_steps, progressions = 0, steps = 0;

  // Returns false if there are too many.
  BANKMODEL_FN bool add(int lanes) {
    ++progressions;
    steps += 210 + 90 * lanes;
    return steps <= most_steps && progressions <= most_progressions_of_classes;
  }
};

// One class in one layout.
class class_in_layout {
 public:
  BANKMODEL_FN class_in_layout(const request_class& requests, const array_description& array,
                               work_of_a_walk& work, request_taker& taker)
      : requests_(requests),
        layout_(array.layout),
        element_bytes_(array.element_bytes),
        base_bytes_(array.base_bytes),
        permuted_(array.layout.permutation.family != layout_family::rows),
        work_(work),
        taker_(taker) {
    // Intervals are rows.
    rank_ = layout_.interval != 0 ? 2 : layout_.rank;
    for (int d = 0; d < rank_; ++d) {
      extent_[d] = layout_.extent[d];
      stride_[d] = layout_.stride[d] * element_bytes_;
    }
    if (layout_.interval != 0) {
      extent_[0] = (layout_.extent[0] - 1) / layout_.interval + 1;
      extent_[1] = layout_.interval;
      stride_[0] = (layout_.interval + layout_.interval_padding) * element_bytes_;
      stride_[1] = element_bytes_;
    }
    if (permuted_) require_whole_groups();
  }

  // Returns false if there are too many progressions.
  BANKMODEL_FN bool run() {
    progression loops[request_class::max_loops];
    int depth = 0;
    std::uint64_t times = requests_.times;
    for (int level = 0; level < requests_.loops; ++level) {
      const progression& loop = requests_.loop[level];
      if (loop.trips == 1) continue;
      if (loop.step == 0)
        times = checked_count_product(times, static_cast<std::uint64_t>(loop.trips));
      else
        loops[depth++] = loop;
    }
    return place(requests_.base, loops, depth, times);
  }

 private:
  // A wide access is aligned to its width: so it is in one group, if rows are multiples of it.
  BANKMODEL_FN void require_whole_groups() const {
    const int vector = requests_.lanes.bytes / element_bytes_;
    const long long group = functions_of(layout_.permutation).kept_together(layout_);
    bool fits = group % vector == 0;
    for (int d = 0; d < layout_.rank - 1; ++d) fits = fits && layout_.stride[d] % vector == 0;
    if (vector > 1 && !fits) rule::permuted_groups_must_hold_whole_wide_accesses(vector, group);
  }

  BANKMODEL_FN four coordinates_of(long long address) const {
    four coordinates;
    long long number = address / element_bytes_;
    for (int d = rank_ - 1; d > 0; --d) {
      coordinates[d] = number % extent_[d];
      number /= extent_[d];
    }
    coordinates[0] = number;
    return coordinates;
  }
  BANKMODEL_FN long long address_of(const four& coordinates) const {
    if (permuted_) return base_bytes_ + layout_(coordinates) * element_bytes_;
    long long address = base_bytes_;
    for (int d = 0; d < rank_; ++d) address += coordinates[d] * stride_[d];
    return address;
  }

  // The requests from this base on, with these loops. (One function that calls itself: clang
  // requires that a constant expression's functions are defined before their first use.)
  BANKMODEL_FN bool place(long long base, const progression* loops, int depth,
                          std::uint64_t times) {
    long long address[max_lanes];  // of each active lane, in this layout
    four lowest, highest;          // coordinates of all lanes
    read_lanes(base, address, lowest, highest);
    if (permuted_ ? depth == 0 : stay_in_rows(base, loops, depth, lowest, highest))
      return give(base, address, loops, depth, times);

    const int split = loop_to_split(base, loops, depth, lowest, highest);
    const progression loop = loops[split];
    const long long period = permuted_ ? loop.trips : trips_in_a_row(loop);
    progression rest[request_class::max_loops];
    for (int level = 0; level < depth; ++level) rest[level] = loops[level];
    for (long long trip = 0; trip < period; ++trip) {
      const long long trips = (loop.trips - trip - 1) / period + 1;
      rest[split] = {loop.step * period, trips};
      if (trips == 1) rest[split] = rest[depth - 1];
      if (!place(base + trip * loop.step, rest, trips == 1 ? depth - 1 : depth, times))
        return false;
    }
    return true;
  }

  // `highest` is the last element that an access touches.
  BANKMODEL_FN void read_lanes(long long base, long long* address, four& lowest,
                               four& highest) const {
    bool first = true;
    const int inner = rank_ - 1, extra = requests_.lanes.bytes / element_bytes_ - 1;
    for (std::uint64_t left = requests_.lanes.active; left != 0; left &= left - 1, first = false) {
      const int lane = trailing_zeros(left);
      four coordinates = coordinates_of(base + requests_.lanes.address[lane]);
      address[lane] = address_of(coordinates);
      for (int d = 0; d < rank_; ++d)
        if (first || coordinates[d] < lowest[d]) lowest[d] = coordinates[d];
      coordinates[inner] += extra;
      if (coordinates[inner] >= extent_[inner])
        rule::wide_requests_must_lie_in_one_row(extra + 1, coordinates[inner] - extra,
                                                extent_[inner]);
      for (int d = 0; d < rank_; ++d)
        if (first || coordinates[d] > highest[d]) highest[d] = coordinates[d];
    }
  }

  // The change of the coordinates in the first trip, of the lowest lane.
  BANKMODEL_FN four change_of(long long base, const progression& loop) const {
    const long long first = base + requests_.lanes.address[trailing_zeros(requests_.lanes.active)];
    const four start = coordinates_of(first), end = coordinates_of(first + loop.step);
    four change;
    for (int d = 0; d < rank_; ++d) change[d] = end[d] - start[d];
    return change;
  }

  // True if all coordinates stay within their extents when each loop changes them by a constant
  // in every trip. Then it does: coordinates within the extents are determined by the address.
  BANKMODEL_FN bool stay_in_rows(long long base, const progression* loops, int depth, four lowest,
                                 four highest) const {
    for (int level = 0; level < depth; ++level) {
      const four change = change_of(base, loops[level]);
      for (int d = 0; d < rank_; ++d) {
        const long long reach = change[d] * (loops[level].trips - 1);
        (reach < 0 ? lowest : highest)[d] += reach;
      }
    }
    for (int d = 1; d < rank_; ++d)
      if (lowest[d] < 0 || highest[d] >= extent_[d]) return false;
    return true;
  }

  // The least number of trips after which a loop is again at the same column, or at the same
  // place of a plane; at most all.
  BANKMODEL_FN long long trips_in_a_row(const progression& loop) const {
    const long long step = loop.step < 0 ? -loop.step : loop.step;
    long long bytes = element_bytes_;
    for (int d = rank_ - 1; d > 0; --d) {
      bytes *= extent_[d];
      const long long period = bytes / greatest_common_divisor(bytes, step);
      if (period > 1) return period < loop.trips ? period : loop.trips;
    }
    return 1;
  }

  // The loop that is split: one that leaves its rows alone, else the one with the fewest parts.
  BANKMODEL_FN int loop_to_split(long long base, const progression* loops, int depth,
                                 const four& lowest, const four& highest) const {
    int result = 0;
    long long fewest = int64_max;
    for (int level = 0; level < depth && !permuted_; ++level) {
      if (!stay_in_rows(base, loops + level, 1, lowest, highest)) return level;
      const long long parts = trips_in_a_row(loops[level]);
      if (parts == 1 || parts >= fewest) continue;
      fewest = parts;
      result = level;
    }
    return result;
  }

  BANKMODEL_FN bool give(long long base, const long long* address, const progression* loops,
                         int depth, std::uint64_t times) {
    if (!work_.add(count_of_lanes())) return false;
    const int aligned = requests_.lanes.bytes == 12 ? 4 : requests_.lanes.bytes;
    const long long first = address[trailing_zeros(requests_.lanes.active)];
    lane_pattern lanes;
    lanes.active = requests_.lanes.active;
    for (std::uint64_t left = requests_.lanes.active; left != 0; left &= left - 1) {
      const int lane = trailing_zeros(left);
      if ((address[lane] & (aligned - 1)) != 0)
        rule::accesses_must_be_aligned_to_their_width(address[lane], requests_.lanes.bytes);
      lanes.offset[lane] = address[lane] - first;
    }
    set_line(lanes);
    progression steps[request_class::max_loops];
    for (int level = 0; level < depth; ++level) {
      const four change = change_of(base, loops[level]);
      long long step = 0;
      for (int d = 0; d < rank_; ++d) step += change[d] * stride_[d];
      if ((step & (aligned - 1)) != 0)
        rule::accesses_must_be_aligned_to_their_width(first + step, requests_.lanes.bytes);
      steps[level] = {step, loops[level].trips};
    }
    taker_.add(lanes, first, steps, depth, times);
    return true;
  }

  BANKMODEL_FN int count_of_lanes() const {
    int lanes = 0;
    for (std::uint64_t left = requests_.lanes.active; left != 0; left &= left - 1) ++lanes;
    return lanes;
  }

  const request_class& requests_;
  const layout& layout_;
  int element_bytes_;
  long long base_bytes_;
  bool permuted_;
  work_of_a_walk& work_;
  request_taker& taker_;
  int rank_ = 1;
  four extent_, stride_;  // of the rows: elements, bytes
};

}  // namespace detail
}  // namespace bankmodel

#endif
