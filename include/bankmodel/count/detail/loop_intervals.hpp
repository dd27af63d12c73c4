// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_LOOP_INTERVALS_HPP
#define BANKMODEL_COUNT_DETAIL_LOOP_INTERVALS_HPP

#include <bankmodel/count/detail/program.hpp>
#include <bankmodel/count/detail/series.hpp>

// The loops around the current wrapper that are not enumerated, as intervals of positions.
namespace bankmodel::detail {

// Positions `at` to at + trips - 1 of a loop.
struct interval {
  unsigned moves;  // the variables that differ from position to position
  variable which;  // of the loop; tx, ty or tz for warps
  bool of_warps;   // true: the positions are warps
  bool varies;     // true: trips_at.at(p) trips, `trips` at most, at position p of loop `outer`
  int outer;       // the outer loop that moves its bounds, or -1
  long long at, trips;
  moving_trips trips_at;
  // Position p is iteration skipped + pace * p of the loop; of warps that many times `warps`.
  int warps;
  long long skipped, pace;

  BANKMODEL_FN long long iteration(long long position) const { return skipped + pace * position; }
};

// Returns the first of the positions from, from + apart, .. of a loop at which its inner loop,
// whose trips vary with it, has at least `trips` of them. Requires: there is one.
BANKMODEL_FN long long first_position(const interval& inner, const interval& outer, long long from,
                                      long long apart, long long trips) {
  if (inner.trips_at.slope <= 0) return from;
  long long low = 0, high = (outer.at + outer.trips - 1 - from) / apart;
  while (low < high) {
    const long long middle = low + (high - low) / 2;
    if (inner.trips_at.at(from + apart * middle) >= trips)
      high = middle;
    else
      low = middle + 1;
  }
  return from + apart * low;
}

// The intervals from the outermost loop to the innermost.
class interval_list {
 public:
  BANKMODEL_FN int count() const { return count_; }
  BANKMODEL_FN interval& operator[](int which) { return all_[which]; }
  BANKMODEL_FN const interval& operator[](int which) const { return all_[which]; }
  BANKMODEL_FN interval& push(const interval& added) { return all_[count_++] = added; }
  BANKMODEL_FN void pop() { --count_; }

  // The loops with more than one position that move any of these variables: their number, and the
  // ones with the fewest and with the most positions.
  struct found {
    int count, fewest, most;
  };
  BANKMODEL_FN found that_move(unsigned read) const {
    found result{0, -1, -1};
    for (int at = 0; at < count_; ++at) {
      const interval& one = all_[at];
      if (one.trips == 1 || (one.moves & read) == 0) continue;
      ++result.count;
      if (result.fewest < 0 || one.trips < all_[result.fewest].trips) result.fewest = at;
      if (result.most < 0 || one.trips >= all_[result.most].trips) result.most = at;
    }
    return result;
  }
  // Returns the innermost loop whose trips vary with an outer loop, or -1.
  BANKMODEL_FN int that_varies() const {
    int at = count_ - 1;
    while (at >= 0 && !all_[at].varies) --at;
    return at;
  }
  // The sum of its trips at all positions of the outer loop.
  BANKMODEL_FN std::uint64_t trips_that_vary(const interval& one) const {
    const interval& o = all_[one.outer];
    return one.trips_at.sum(o.at, o.trips, one.at + one.trips) -
           one.trips_at.sum(o.at, o.trips, one.at);
  }
  // Returns the loop whose trips vary with the loop `outer`, or count().
  BANKMODEL_FN int that_varies_with(int outer) const {
    int inner = outer + 1;
    while (inner < count_ && !(all_[inner].varies && all_[inner].outer == outer)) ++inner;
    return inner;
  }
  // Returns an interval without the positions that it has at no position of its outer loop.
  BANKMODEL_FN interval tightened(int which) const {
    interval one = all_[which];
    if (!one.varies) return one;
    const interval& outer = all_[one.outer];
    const long long begin = one.trips_at.at(outer.at),
                    end = one.trips_at.at(outer.at + outer.trips - 1);
    const long long most = (begin > end ? begin : end) - one.at;
    if (most < one.trips) one.trips = most < 1 ? 1 : most;
    return one;
  }

 private:
  int count_ = 0;
  interval all_[3 + loop_variables];
};

}  // namespace bankmodel::detail

#endif
