// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_LOOP_INTERVALS_HPP
#define BANKMODEL_COUNT_DETAIL_LOOP_INTERVALS_HPP

#include <bankmodel/count/detail/lane_program.hpp>
#include <bankmodel/count/detail/series.hpp>

// The loops around the current wrapper that are not enumerated, as intervals of positions.
namespace bankmodel::detail {

// Positions `begin` to begin + trips - 1 of a loop.
struct interval {
  unsigned moves;          // the variables that differ from position to position
  variable loop_variable;  // of the loop; tx, ty or tz for warps
  bool of_warps;           // true: the positions are warps
  bool varies;  // true: trips_at.trips(p) trips, `trips` at most, at position p of loop `outer`
  int outer;    // the outer loop that moves its bounds, or -1
  long long begin, trips;
  moving_trips trips_at;
  // Position p is iteration skipped + pace * p of the loop; of warps that many times `warps`.
  int warps;
  long long skipped, pace;

  BANKMODEL_FN long long iteration(long long position) const { return skipped + pace * position; }
};

// Returns the first of the positions start, start + spacing, .. of a loop at which its inner loop,
// whose trips vary with it, has at least `trips` of them. Requires: there is one.
BANKMODEL_FN long long first_position(const interval& inner, const interval& outer, long long start,
                                      long long spacing, long long trips) {
  if (inner.trips_at.slope <= 0) return start;
  long long low = 0, high = (outer.begin + outer.trips - 1 - start) / spacing;
  while (low < high) {
    const long long middle = low + (high - low) / 2;
    if (inner.trips_at.trips(start + spacing * middle) >= trips)
      high = middle;
    else
      low = middle + 1;
  }
  return start + spacing * low;
}

// The intervals from the outermost loop to the innermost.
class interval_list {
 public:
  BANKMODEL_FN int count() const { return count_; }
  BANKMODEL_FN interval& operator[](int loop) { return intervals_[loop]; }
  BANKMODEL_FN const interval& operator[](int loop) const { return intervals_[loop]; }
  BANKMODEL_FN interval& push(const interval& added) { return intervals_[count_++] = added; }
  BANKMODEL_FN void pop() { --count_; }

  // The loops with more than one position that move any of these variables: their number, and the
  // ones with the fewest and with the most positions.
  struct moving_loops {
    int count, fewest, longest;
  };
  BANKMODEL_FN moving_loops that_move(unsigned read) const {
    moving_loops result{0, -1, -1};
    for (int loop = 0; loop < count_; ++loop) {
      const interval& candidate = intervals_[loop];
      if (candidate.trips == 1 || (candidate.moves & read) == 0) continue;
      ++result.count;
      if (result.fewest < 0 || candidate.trips < intervals_[result.fewest].trips)
        result.fewest = loop;
      if (result.longest < 0 || candidate.trips >= intervals_[result.longest].trips)
        result.longest = loop;
    }
    return result;
  }
  // Returns the innermost loop whose trips vary with an outer loop, or -1.
  BANKMODEL_FN int that_varies() const {
    int loop = count_ - 1;
    while (loop >= 0 && !intervals_[loop].varies) --loop;
    return loop;
  }
  // The sum of its trips at all positions of the outer loop.
  BANKMODEL_FN std::uint64_t trips_that_vary(const interval& inner) const {
    const interval& o = intervals_[inner.outer];
    return inner.trips_at.sum(o.begin, o.trips, inner.begin + inner.trips) -
           inner.trips_at.sum(o.begin, o.trips, inner.begin);
  }
  // Returns the loop whose trips vary with the loop `outer`, or count().
  BANKMODEL_FN int that_varies_with(int outer) const {
    int inner = outer + 1;
    while (inner < count_ && !(intervals_[inner].varies && intervals_[inner].outer == outer))
      ++inner;
    return inner;
  }
  // Returns an interval without the positions that it has at no position of its outer loop.
  BANKMODEL_FN interval tightened(int loop) const {
    interval result = intervals_[loop];
    if (!result.varies) return result;
    const interval& outer = intervals_[result.outer];
    const long long first_trips = result.trips_at.trips(outer.begin),
                    last_trips = result.trips_at.trips(outer.begin + outer.trips - 1);
    const long long limit = (first_trips > last_trips ? first_trips : last_trips) - result.begin;
    if (limit < result.trips) result.trips = limit < 1 ? 1 : limit;
    return result;
  }

 private:
  int count_ = 0;
  interval intervals_[3 + loop_variables];
};

}  // namespace bankmodel::detail

#endif
