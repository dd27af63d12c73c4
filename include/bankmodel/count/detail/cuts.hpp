// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_CUTS_HPP
#define BANKMODEL_COUNT_DETAIL_CUTS_HPP

#include <bankmodel/count/detail/point.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The lanes in which a condition holds at each position of a loop, as pieces of the loop.
namespace bankmodel::detail {

// A condition, its comparisons, and the difference of their sides as linear forms.
struct split_condition {
  slice whole = {}, rest = {};  // `a && b` and its b; `condition` is its a
  slice condition = {};
  unsigned used = 0;
  bool may_be_taken_apart = false;  // into the comparisons `all`
  bool is_wide = false;             // with values close to the ends of 64 bits
  comparisons all;
  int version = -1;  // of the variables' forms from which `gap` was read
  linear_form gap[max_comparisons];
};

// A loop in pieces: lanes[k] pass at the positions [begin[k], begin[k + 1]). The first piece has no
// beginning and the last one no end.
// Example: x < p in lanes 0 to 2: lanes 0, 0b1, 0b11 and 0b111; begin[1] to begin[3] are 1, 2, 3.
struct pieces {
  int count;
  long long begin[2 * max_lanes * max_comparisons + 1];
  std::uint64_t lanes[2 * max_lanes * max_comparisons + 1];
};

// Positions at which lanes of a comparison change from passing to not passing or back, in the order
// of the positions.
struct lane_changes {
  static constexpr int most = 2 * max_lanes * max_comparisons;
  int count = 0;
  long long position[most];
  std::uint64_t lanes[most];
  unsigned char comparison[most];

  BANKMODEL_FN void add(long long to_position, std::uint64_t to_lanes, int to_comparison) {
    int to = count++;
    for (; to > 0 && position[to - 1] > to_position; --to) {
      position[to] = position[to - 1];
      lanes[to] = lanes[to - 1];
      comparison[to] = comparison[to - 1];
    }
    position[to] = to_position;
    lanes[to] = to_lanes;
    comparison[to] = static_cast<unsigned char>(to_comparison);
  }
};

class cutter {
 public:
  BANKMODEL_FN cutter(const lowered& of, point& at) : of_(of), point_(at) {}

  // Returns the first condition of the conjunction `whole` in the filter at `level`, with the other
  // conditions in `rest`. Conditions that are kept are not read again.
  BANKMODEL_FN split_condition& read(int level, const slice& whole) {
    split_condition& to = conditions_[level % conditions_kept];
    if (to.whole.first == whole.first && to.whole.size == whole.size) return to;
    to.whole = whole;
    to.version = -1;
    to.condition = first_condition(of_.access.nodes, whole, to.rest);
    to.used = of_.used_by(to.condition);
    // The left side of && and || guards the right one, which may be evaluated without it only if it
    // cannot cause an error.
    const node* const nodes = of_.access.nodes + to.condition.first;
    const bool is_read = to.all.read(nodes, to.condition.size, of_.lanes, of_.fixed);
    const bool narrow = is_read && of_.ranges.of(to.condition).known();
    to.is_wide = is_read && !narrow && of_.ranges.fits_in_64_bits(to.condition);
    to.may_be_taken_apart = narrow || to.is_wide;
    return to;
  }

  // Returns the lanes of `active` that pass. Requires: no loop moves the condition.
  BANKMODEL_FN std::uint64_t lanes_that_pass(split_condition& of, std::uint64_t active) {
    read_forms(of);
    for (int at = 0; at < of.all.count(); ++at) {
      const comparison& c = of.all[at];
      if (point_.is_line(of.gap[at])) {
        const line gap = line_of(of, at, active);
        const crossing x = crossing_of(c.op, gap.first, gap.per_lane);
        const long long first = gap.low + (x.first > 64 ? 64 : x.first < -64 ? -64 : x.first);
        const std::uint64_t changed =
            !x.changes ? 0 : lanes_between(first, is_in(order_operations, c.op) ? 64 : first + 1);
        holds_[at] = x.before ? ~changed : changed;
        continue;
      }
      long long gaps[max_lanes];
      read_gaps(of, at, active, point::nothing_further, gaps);
      holds_[at] = 0;
      for (std::uint64_t rest = active; rest != 0; rest &= rest - 1)
        if (crossing_of(c.op, gaps[trailing_zeros(rest)], 0).before)
          holds_[at] |= rest & (0 - rest);
    }
    return of.all.holds(holds_) & active;
  }

  // Sets `shift` to the number of positions by which a step of `other` shifts the pieces of
  // `which`. Returns false if it is not whole, or differs between lanes or comparisons.
  // Example: i + 4 * j < tx: a step of j shifts the pieces of i by -4.
  BANKMODEL_FN bool read_shift(split_condition& of, int which, int other, std::uint64_t active,
                               long long& shift) {
    read_forms(of);
    const int lane = trailing_zeros(active);
    for (int at = 0; at < of.all.count(); ++at) {
      const structure& read = of.all[at].read;
      if (((read.nonlinear | read.nonlinear_in_lanes) &
           (point_[which].moves | point_[other].moves)) != 0)
        return false;
      const long long by = slope(of, at, which, lane), by_other = slope(of, at, other, lane);
      if (by == 0 || by_other % by != 0 || (at > 0 && shift != -(by_other / by))) return false;
      shift = -(by_other / by);
    }
    return true;
  }

  // Writes the pieces of loop `which`; position 0 is the first of its interval. Returns false if a
  // comparison does not move by equal amounts, or may overflow at the next position. (Not inlined:
  // the changes take 9 KiB of stack, which callers do not pay for while they go on.)
  [[gnu::noinline]] BANKMODEL_FN bool cut(split_condition& of, int which, std::uint64_t active,
                                          pieces& to) {
    read_forms(of);
    lane_changes changes;
    for (int at = 0; at < of.all.count(); ++at) {
      const structure& read = of.all[at].read;
      if (of.is_wide && !of.gap[at].known) return false;
      if (((read.nonlinear | read.nonlinear_in_lanes) & point_[which].moves) != 0 &&
          !moves_evenly(of.all[at], which))
        return false;
      holds_[at] = 0;
      if (is_in(order_operations, of.all[at].op) && point_.is_line(of.gap[at]))
        cut_in_a_line(of, at, which, active, changes);
      else
        cut_lane_by_lane(of, at, which, active, changes);
    }
    to.count = 1;
    to.lanes[0] = of.all.holds(holds_) & active;
    for (int at = 0; at < changes.count;) {
      const long long position = changes.position[at];
      for (; at < changes.count && changes.position[at] == position; ++at)
        holds_[changes.comparison[at]] ^= changes.lanes[at];
      const std::uint64_t lanes = of.all.holds(holds_) & active;
      if (lanes == to.lanes[to.count - 1]) continue;
      to.begin[to.count] = position;
      to.lanes[to.count++] = lanes;
    }
    return true;
  }

 private:
  // Reads left - right of each comparison as a form, which is known if it is linear.
  BANKMODEL_FN void read_forms(split_condition& of) {
    if (of.version == point_.version()) return;
    of.version = point_.version();
    for (int at = 0; at < of.all.count(); ++at) {
      point_.work += 60 * (of.all[at].left.size + of.all[at].right.size);
      linear_form right;
      point_.read(of.all[at].left, of.gap[at]);
      point_.read(of.all[at].right, right);
      of.gap[at].add(right, ~std::uint64_t{0});
    }
  }
  BANKMODEL_FN long long gap_of(const split_condition& of, int at, int lane,
                                int further = point::nothing_further) const {
    if (of.gap[at].known) return point_.value(of.gap[at], lane, further);
    return checked_subtract(point_.value(of.all[at].left, lane, further),
                            point_.value(of.all[at].right, lane, further));
  }
  // The amount by which the gap moves at each position of loop `which`.
  BANKMODEL_FN long long slope(const split_condition& of, int at, int which, int lane) const {
    if (of.gap[at].known) return static_cast<long long>(of.gap[at].of(point_.dimension(which)));
    return gap_of(of, at, lane, which) - gap_of(of, at, lane);
  }

  // A gap that moves by equal amounts from lane to lane; `first` is its value in lane `low`.
  struct line {
    int low, high;
    long long first, per_lane;
  };
  BANKMODEL_FN line line_of(const split_condition& of, int at, std::uint64_t active) const {
    const int low = trailing_zeros(active), high = highest_bit(active);
    return {low, high, gap_of(of, at, low),
            high > low ? static_cast<long long>(of.gap[at].of(0)) : 0};
  }

  BANKMODEL_FN void read_gaps(const split_condition& of, int at, std::uint64_t active, int further,
                              long long* gaps) {
    point_.work += 20 * point_.lanes();
    if (of.gap[at].known) {
      point_.spread(of.gap[at], further, gaps);
      return;
    }
    const lane_set lanes(active);
    point_.work += 10 * lanes.count * (of.all[at].left.size + of.all[at].right.size);
    point_.read_lanes(lanes, of.all[at].read.used, further);
    const lane_values left = point_.evaluated(of.all[at].left, lanes);
    for (int index = 0; index < lanes.count; ++index)
      gaps[lanes.lane[index]] = left[lanes.lane[index]];
    const lane_values right = point_.evaluated(of.all[at].right, lanes);
    for (int index = 0; index < lanes.count; ++index)
      gaps[lanes.lane[index]] -= right[lanes.lane[index]];
  }

  // True if both sides of a comparison that is not linear still move by equal amounts.
  BANKMODEL_FN bool moves_evenly(const comparison& c, int which) const {
    long long moves[variables];
    point_.read_moves(which, moves);
    return movement_of(c.left.nodes, c.left.size, moves, of_.ranges.all).period == 1 &&
           movement_of(c.right.nodes, c.right.size, moves, of_.ranges.all).period == 1;
  }

  BANKMODEL_FN void add(long long position, std::uint64_t lanes, int comparison, lane_changes& to) {
    point_.work += 100;
    to.add(position, lanes, comparison);
  }

  // Cuts by a gap that moves by equal amounts both from lane to lane and from position to position:
  // lanes change in their order, often several at once.
  BANKMODEL_FN void cut_in_a_line(const split_condition& of, int at, int which,
                                  std::uint64_t active, lane_changes& to) {
    const line gap = line_of(of, at, active);
    const long long by = slope(of, at, which, gap.low), per_lane = gap.per_lane;
    const long long first = of.all[at].op == operation::less_equal ? gap.first - 1 : gap.first;
    const int low = gap.low, last = gap.high - low;
    if (by == 0) {
      const crossing x = crossing_of(operation::less, first, per_lane);
      const std::uint64_t changed =
          !x.changes ? 0 : lanes_between(low + (x.first > 64 ? 64 : x.first), 64);
      holds_[at] = x.before ? ~changed : changed;
      return;
    }
    if (by > 0) holds_[at] = ~std::uint64_t{0};
    // gap + by * p < 0 changes at p = -gap / by, rounded up; if the gap falls, at the position
    // after gap / -by. Lanes are taken in the order in which they change, together if at the same
    // position.
    const bool upwards = (per_lane <= 0) == (by > 0);
    const long long pace = by > 0 ? by : -by, begin = upwards ? first : first + per_lane * last,
                    step = upwards ? per_lane : -per_lane;
    for (int from = 0; from <= last;) {
      const long long g = begin + step * from;
      const long long rounds = quotient_up(-g, pace), position = by > 0 ? rounds : 1 - rounds;
      // The lanes that change at the same position: -g in (pace * (rounds - 1), pace * rounds].
      const long long above = g % pace < 0 ? g % pace + pace : g % pace;  // pace * rounds + g
      const long long room = step == 0 ? last : by > 0 ? above / -step : (pace - above - 1) / step;
      const int end = room >= last - from ? last + 1 : from + static_cast<int>(room) + 1;
      add(position,
          upwards ? lanes_between(low + from, low + end)
                  : lanes_between(low + last - end + 1, low + last - from + 1),
          at, to);
      from = end;
    }
  }

  BANKMODEL_FN void cut_lane_by_lane(const split_condition& of, int at, int which,
                                     std::uint64_t active, lane_changes& to) {
    const operation op = of.all[at].op;
    long long here[max_lanes], behind[max_lanes];
    read_gaps(of, at, active, point::nothing_further, here);
    read_gaps(of, at, active, which, behind);
    for (std::uint64_t rest = active; rest != 0; rest &= rest - 1) {
      const int lane = trailing_zeros(rest);
      const std::uint64_t bit = rest & (0 - rest);
      // After the last position a value may wrap around.
      const auto by = static_cast<long long>(static_cast<std::uint64_t>(behind[lane]) -
                                             static_cast<std::uint64_t>(here[lane]));
      const crossing x = crossing_of(op, here[lane], by);
      if (x.before) holds_[at] |= bit;
      if (!x.changes) continue;
      add(x.first, bit, at, to);
      if (!is_in(order_operations, op)) add(x.first + 1, bit, at, to);
    }
  }

  const lowered& of_;
  point& point_;
  static constexpr int conditions_kept = 4;
  split_condition conditions_[conditions_kept];
  std::uint64_t holds_[max_comparisons];  // the lanes in which each comparison holds
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
