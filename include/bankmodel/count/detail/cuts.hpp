// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_CUTS_HPP
#define BANKMODEL_COUNT_DETAIL_CUTS_HPP

#include <bankmodel/count/detail/conditions.hpp>
#include <bankmodel/count/detail/movers.hpp>

// For which lanes a condition holds at which position of a mover.
namespace bankmodel::detail {

// Lanes [from, to).
BANKMODEL_FN std::uint64_t lanes_between(long long from, long long to) {
  if (from < 0) from = 0;
  if (to > 64) to = 64;
  return from >= to ? 0 : ~std::uint64_t{0} >> (64 - (to - from)) << from;
}

// The positions as pieces, from begin[k] up to begin[k + 1], the first one without a beginning and
// the last one without an end, each with the lanes that pass there.
struct pieces {
  int count;
  long long begin[2 * max_lanes * max_comparisons + 1];
  std::uint64_t lanes[2 * max_lanes * max_comparisons + 1];
};

class cutter {
 public:
  BANKMODEL_FN cutter(const nest& of, movers& by) : nest_(of), movers_(by) {}

  // The first condition of the conjunction `whole`, which stands at `level`; what follows it is
  // `rest`.
  struct condition_read {
    slice whole, condition, rest;
    unsigned used = 0;
    bool may_be_taken_apart = false;  // into `all`
    comparisons all;
  };
  BANKMODEL_FN const condition_read& read(int level, const slice& whole) {
    condition_read& to = conditions_[level % conditions_kept];
    if (to.whole.first == whole.first && to.whole.size == whole.size) return to;
    to.whole = whole;
    to.condition = first_condition(nest_.access.nodes, whole, to.rest);
    to.used = nest_.used_by(to.condition);
    // The left side of && and || protects the right one: it may not be looked at early where it
    // could be refused.
    const node* const nodes = nest_.access.nodes + to.condition.first;
    to.may_be_taken_apart = to.all.read(nodes, to.condition.size, nest_.lanes, nest_.fixed) &&
                            range_of(nodes, to.condition.size, nest_.ranges).known();
    return to;
  }

  // The lanes of `active` that pass where no mover moves the condition.
  BANKMODEL_FN std::uint64_t lanes_that_pass(const comparisons& all, std::uint64_t active) {
    const int low = lowest_lane(active), high = highest_lane(active);
    for (int at = 0; at < all.count(); ++at) {
      const comparison& c = all[at];
      const structure& read = c.read;
      if (read.bent_in_lanes != 0 || !nest_.lanes_in_a_line(read.used)) {
        long long gaps[max_lanes];
        read_gaps(c, active, gaps);
        holds_[at] = 0;
        for (int lane = low; lane <= high; ++lane)
          if ((active >> lane & 1) != 0 &&
              (c.op == operation::less         ? gaps[lane] < 0
               : c.op == operation::less_equal ? gaps[lane] <= 0
                                               : (gaps[lane] == 0) == (c.op == operation::equal)))
            holds_[at] |= std::uint64_t{1} << lane;
        continue;
      }
      movers_.look_at(low);
      const long long gap = gap_of(c);
      long long per_lane = 0;
      if (high > low) {
        movers_.look_at(high);
        per_lane = checked_subtract(gap_of(c), gap) / (high - low);
      }
      const crossing x = crossing_of(c.op, gap, per_lane);
      const long long first = low + (x.first > 64 ? 64 : x.first < -64 ? -64 : x.first);
      const std::uint64_t changed =
          !x.changes ? 0 : lanes_between(first, is_order(c.op) ? 64 : first + 1);
      holds_[at] = x.before ? ~changed : changed;
    }
    return all.holds(holds_) & active;
  }

  // How far a step of `other` shifts the pieces of `which`: false if not by whole positions, or
  // differently in different lanes or comparisons.
  BANKMODEL_FN bool read_shift(const comparisons& all, int which, int other, std::uint64_t active,
                               long long& shift) {
    const int lane = lowest_lane(active);
    for (int at = 0; at < all.count(); ++at) {
      const comparison& c = all[at];
      const structure& read = c.read;
      if (((read.bent | read.bent_in_lanes) & (movers_[which].moves | movers_[other].moves)) != 0)
        return false;
      movers_.look_at(lane);
      const long long here = gap_of(c), by = gap_behind(c, which, lane) - here,
                      by_other = gap_behind(c, other, lane) - here;
      if (by == 0 || by_other % by != 0 || (at > 0 && shift != -(by_other / by))) return false;
      shift = -(by_other / by);
    }
    return true;
  }

  // The pieces of a mover, positions counted from its interval's first; false if a comparison does
  // not move evenly.
  BANKMODEL_FN bool cut(const comparisons& all, int which, std::uint64_t active, pieces& to) {
    count_ = 0;
    for (int at = 0; at < all.count(); ++at) {
      const structure& read = all[at].read;
      if (((read.bent | read.bent_in_lanes) & movers_[which].moves) != 0 &&
          !moves_evenly(all[at], which))
        return false;
      holds_[at] = 0;
      if (read.bent_in_lanes == 0 && is_order(all[at].op) && nest_.lanes_in_a_line(read.used))
        cut_in_a_line(all[at], at, which, active);
      else
        cut_lane_by_lane(all[at], at, which, active);
    }
    to.count = 1;
    to.lanes[0] = all.holds(holds_) & active;
    for (int at = 0; at < count_;) {
      const long long position = position_[at];
      for (; at < count_ && position_[at] == position; ++at) holds_[of_[at]] ^= changed_[at];
      const std::uint64_t lanes = all.holds(holds_) & active;
      if (lanes == to.lanes[to.count - 1]) continue;
      to.begin[to.count] = position;
      to.lanes[to.count++] = lanes;
    }
    return true;
  }

 private:
  // left - right in the lane that was looked at.
  BANKMODEL_FN long long gap_of(const comparison& c) const {
    return checked_subtract(evaluate(c.left.nodes, c.left.size, movers_.in_one_lane()),
                            evaluate(c.right.nodes, c.right.size, movers_.in_one_lane()));
  }

  // The same one position further.
  BANKMODEL_FN long long gap_behind(const comparison& c, int which, int lane) {
    ++movers_[which].at;
    movers_.place(which);
    movers_.look_at(lane);
    const long long result = gap_of(c);
    --movers_[which].at;
    movers_.place(which);
    movers_.look_at(lane);
    return result;
  }

  // Whether a comparison that is no sum of multiples moves by the same amount at each position all
  // the same.
  BANKMODEL_FN bool moves_evenly(const comparison& c, int which) const {
    long long moves[variables];
    movers_.read_moves(which, moves);
    return movement_of(c.left.nodes, c.left.size, moves, nest_.ranges).period == 1 &&
           movement_of(c.right.nodes, c.right.size, moves, nest_.ranges).period == 1;
  }

  // One comparison changes in those lanes.
  BANKMODEL_FN void add(long long position, std::uint64_t lanes, int comparison) {
    int to = count_++;
    for (; to > 0 && position_[to - 1] > position; --to) {
      position_[to] = position_[to - 1];
      changed_[to] = changed_[to - 1];
      of_[to] = of_[to - 1];
    }
    position_[to] = position;
    changed_[to] = lanes;
    of_[to] = comparison;
  }

  // The gap moves by one amount from lane to lane and by one from position to position: lanes
  // change one after the other, and many perhaps at once.
  BANKMODEL_FN void cut_in_a_line(const comparison& c, int at, int which, std::uint64_t active) {
    const int low = lowest_lane(active), high = highest_lane(active);
    movers_.look_at(low);
    long long gap = gap_of(c);
    const long long by = gap_behind(c, which, low) - gap;
    long long per_lane = 0;
    if (high > low) {
      movers_.look_at(high);
      per_lane = checked_subtract(gap_of(c), gap) / (high - low);
    }
    if (c.op == operation::less_equal) --gap;
    if (by == 0) {
      const crossing x = crossing_of(operation::less, gap, per_lane);
      const std::uint64_t changed =
          !x.changes ? 0 : lanes_between(low + (x.first > 64 ? 64 : x.first), 64);
      holds_[at] = x.before ? ~changed : changed;
      return;
    }
    if (by > 0) holds_[at] = ~std::uint64_t{0};
    // gap + by * p < 0 changes at p = -gap / by, rounded up; for a falling gap behind gap / -by.
    // Lanes are taken in the order in which they change, many at once where positions are far
    // apart.
    const bool upwards = (per_lane <= 0) == (by > 0);
    const int last = high - low;
    const long long pace = by > 0 ? by : -by, begin = upwards ? gap : gap + per_lane * last,
                    step = upwards ? per_lane : -per_lane;
    for (int from = 0; from <= last;) {
      const long long g = begin + step * from;
      const long long rounds = quotient_up(-g, pace), position = by > 0 ? rounds : 1 - rounds;
      // The lanes whose gap lies in the same round: -g in (pace * (rounds - 1), pace * rounds].
      const long long room = step == 0 ? last
                             : by > 0  ? (pace * rounds + g) / -step
                                       : (-g - pace * (rounds - 1) - 1) / step;
      const int to = room >= last - from ? last + 1 : from + static_cast<int>(room) + 1;
      add(position,
          upwards ? lanes_between(low + from, low + to)
                  : lanes_between(high - to + 1, high - from + 1),
          at);
      from = to;
    }
  }

  BANKMODEL_FN void cut_lane_by_lane(const comparison& c, int at, int which, std::uint64_t active) {
    long long here[max_lanes], behind[max_lanes];
    read_gaps(c, active, here);
    ++movers_[which].at;
    movers_.place(which);
    read_gaps(c, active, behind);
    --movers_[which].at;
    movers_.place(which);
    for (int lane = lowest_lane(active); lane < max_lanes && active >> lane != 0; ++lane) {
      const std::uint64_t bit = std::uint64_t{1} << lane;
      if ((active & bit) == 0) continue;
      const crossing x = crossing_of(c.op, here[lane], behind[lane] - here[lane]);
      if (x.before) holds_[at] |= bit;
      if (!x.changes) continue;
      add(x.first, bit, at);
      if (!is_order(c.op)) add(x.first + 1, bit, at);
    }
  }

  BANKMODEL_FN void read_gaps(const comparison& c, std::uint64_t active, long long* gaps) {
    if (nest_.even && c.read.bent_in_lanes == 0) {
      movers_.look_at(0);
      const long long first = gap_of(c);
      long long along[3] = {0, 0, 0};
      for (int way = 0; way < 3; ++way) {
        const int lane = movers_.lane_along(way);
        if (lane == 0) continue;
        movers_.look_at(lane);
        along[way] = gap_of(c) - first;
      }
      movers_.spread({first, along[0], along[1], along[2]}, gaps);
      return;
    }
    const lane_set lanes(active);
    const lane_values* const values = movers_.in_lanes(lanes);
    const lane_values left = evaluate(c.left.nodes, c.left.size, values, lanes, movers_.rows());
    for (int index = 0; index < lanes.count; ++index)
      gaps[lanes.lane[index]] = left[lanes.lane[index]];
    const lane_values right = evaluate(c.right.nodes, c.right.size, values, lanes, movers_.rows());
    for (int index = 0; index < lanes.count; ++index)
      gaps[lanes.lane[index]] -= right[lanes.lane[index]];
  }

  const nest& nest_;
  movers& movers_;
  static constexpr int conditions_kept = 4;
  condition_read conditions_[conditions_kept];
  // The changes in the order of their positions, and in which lanes each comparison holds before
  // the next one.
  int count_ = 0;
  long long position_[2 * max_lanes * max_comparisons];
  std::uint64_t changed_[2 * max_lanes * max_comparisons];
  int of_[2 * max_lanes * max_comparisons];
  std::uint64_t holds_[max_comparisons];
};

}  // namespace bankmodel::detail

#endif
