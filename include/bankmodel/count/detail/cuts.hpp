// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_CUTS_HPP
#define BANKMODEL_COUNT_DETAIL_CUTS_HPP

#include <bankmodel/count/detail/point.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The lanes in which a condition holds at each position of a loop, as pieces of the loop.
namespace bankmodel::detail {

// A condition, its comparisons, and the difference of their sides as linear forms.
struct split_condition {
  slice conjunction = {};  // `a && b`; empty: nothing else is set
  slice rest, condition;   // its b and its a
  unsigned used;
  bool may_be_taken_apart;  // into the comparisons `terms`
  bool is_wide;             // with values close to the ends of 64 bits
  comparisons terms;
  int version;  // of the variables' forms from which `gap` was read; -1: it was not
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
  static constexpr int capacity = 2 * max_lanes * max_comparisons;
  int count = 0;
  long long position[capacity];
  std::uint64_t lanes[capacity];
  unsigned char comparison[capacity];

  BANKMODEL_FN void add(long long added_position, std::uint64_t added_lanes, int added_comparison) {
    int slot = count++;
    for (; slot > 0 && position[slot - 1] > added_position; --slot) {
      position[slot] = position[slot - 1];
      lanes[slot] = lanes[slot - 1];
      comparison[slot] = comparison[slot - 1];
    }
    position[slot] = added_position;
    lanes[slot] = added_lanes;
    comparison[slot] = static_cast<unsigned char>(added_comparison);
  }
};

class cutter {
 public:
  BANKMODEL_FN cutter(const lowered& nest, point& state) : nest_(nest), point_(state) {}

  // Returns the first condition of a conjunction in the filter at `level`, with the other ones in
  // `rest`. Conditions that are kept are not read again.
  BANKMODEL_FN split_condition& read(int level, const slice& conjunction) {
    split_condition& result = conditions_[level % conditions_kept];
    if (result.conjunction.first == conjunction.first &&
        result.conjunction.size == conjunction.size)
      return result;
    result.conjunction = conjunction;
    result.version = -1;
    result.condition = first_condition(nest_.access.nodes, conjunction, result.rest);
    result.used = nest_.used_by(result.condition);
    // The left side of && and || guards the right one, which may be evaluated without it only if it
    // cannot cause an error.
    const node* const nodes = nest_.access.nodes + result.condition.first;
    result.is_wide = false;
    result.may_be_taken_apart =
        result.terms.read(nodes, result.condition.size, nest_.lanes, nest_.fixed);
    for (int term = 0; term < result.terms.count() && result.may_be_taken_apart; ++term) {
      const value_range left = nest_.ranges.range(result.terms[term].left),
                        right = nest_.ranges.range(result.terms[term].right);
      if (left.is_narrow() && right.is_narrow()) continue;
      result.is_wide = true;
      result.may_be_taken_apart =
          result.terms.is_one_comparison() && range_of_difference(left, right).known();
    }
    return result;
  }

  // Returns the lanes of `active` that pass. Requires: no loop moves the condition.
  BANKMODEL_FN std::uint64_t lanes_that_pass(split_condition& condition, std::uint64_t active) {
    read_forms(condition);
    for (int term = 0; term < condition.terms.count(); ++term) {
      const comparison& c = condition.terms[term];
      if (!condition.is_wide && point_.is_line(condition.gap[term])) {
        const line gap = line_of(condition, term, active);
        const crossing x = crossing_of(c.op, gap.first, gap.per_lane);
        const long long first = gap.low + (x.first > 64 ? 64 : x.first < -64 ? -64 : x.first);
        const std::uint64_t changed =
            !x.changes ? 0 : lanes_between(first, is_in(order_operations, c.op) ? 64 : first + 1);
        holds_[term] = x.initial ? ~changed : changed;
        continue;
      }
      long long gaps[max_lanes];
      read_gaps(condition, term, active, point::no_loop, gaps);
      holds_[term] = 0;
      for (std::uint64_t rest = active; rest != 0; rest &= rest - 1)
        if (crossing_of(c.op, gaps[trailing_zeros(rest)], 0).initial)
          holds_[term] |= rest & (0 - rest);
    }
    return condition.terms.holds(holds_) & active;
  }

  // Sets `shift` to the number of positions by which a step of `other` shifts the pieces of
  // `loop`. Returns false if it is not whole, or differs between lanes or comparisons.
  // Example: i + 4 * j < tx: a step of j shifts the pieces of i by -4.
  BANKMODEL_FN bool read_shift(split_condition& condition, int loop, int other,
                               std::uint64_t active, long long& shift) {
    read_forms(condition);
    const int lane = trailing_zeros(active);
    for (int term = 0; term < condition.terms.count(); ++term) {
      const structure& read = condition.terms[term].read;
      if (((read.nonlinear | read.nonlinear_in_lanes) &
           (point_[loop].moves | point_[other].moves)) != 0)
        return false;
      const long long increment = slope(condition, term, loop, lane),
                      by_other = slope(condition, term, other, lane);
      if (increment == 0 || by_other % increment != 0 ||
          (term > 0 && shift != -(by_other / increment)))
        return false;
      shift = -(by_other / increment);
    }
    return true;
  }

  // Writes the pieces of `loop`; position 0 is the first of its interval. Returns false if a
  // comparison does not move by equal amounts, or may overflow at the next position. (Not inlined:
  // the changes take 9 KiB of stack, which callers do not pay for while they go on.)
  [[gnu::noinline]] BANKMODEL_FN bool cut(split_condition& condition, int loop,
                                          std::uint64_t active, pieces& result) {
    read_forms(condition);
    lane_changes changes;
    for (int term = 0; term < condition.terms.count(); ++term) {
      const structure& read = condition.terms[term].read;
      if (condition.is_wide && !condition.gap[term].known) return false;
      if (((read.nonlinear | read.nonlinear_in_lanes) & point_[loop].moves) != 0 &&
          !moves_evenly(condition.terms[term], loop))
        return false;
      holds_[term] = 0;
      // Of large values the gap of each lane fits, but perhaps not the differences between lanes.
      const bool is_cut = is_in(order_operations, condition.terms[term].op) && !condition.is_wide &&
                                  point_.is_line(condition.gap[term])
                              ? cut_in_a_line(condition, term, loop, active, changes)
                              : cut_lane_by_lane(condition, term, loop, active, changes);
      if (!is_cut) return false;
    }
    result.count = 1;
    result.lanes[0] = condition.terms.holds(holds_) & active;
    for (int change = 0; change < changes.count;) {
      const long long position = changes.position[change];
      for (; change < changes.count && changes.position[change] == position; ++change)
        holds_[changes.comparison[change]] ^= changes.lanes[change];
      const std::uint64_t lanes = condition.terms.holds(holds_) & active;
      if (lanes == result.lanes[result.count - 1]) continue;
      result.begin[result.count] = position;
      result.lanes[result.count++] = lanes;
    }
    return true;
  }

 private:
  // Reads left - right of each comparison as a form, which is known if it is linear.
  BANKMODEL_FN void read_forms(split_condition& condition) {
    if (condition.version == point_.version()) return;
    condition.version = point_.version();
    for (int term = 0; term < condition.terms.count(); ++term) {
      point_.account.steps +=
          60 * (condition.terms[term].left.size + condition.terms[term].right.size);
      linear_form right;
      point_.read(condition.terms[term].left, condition.gap[term]);
      point_.read(condition.terms[term].right, right);
      condition.gap[term].add(right, ~std::uint64_t{0});
    }
  }
  BANKMODEL_FN long long gap_of(const split_condition& condition, int term, int lane,
                                int moved_loop = point::no_loop) const {
    if (condition.gap[term].known) return point_.value(condition.gap[term], lane, moved_loop);
    return checked_subtract(point_.value(condition.terms[term].left, lane, moved_loop),
                            point_.value(condition.terms[term].right, lane, moved_loop));
  }
  // The amount by which the gap moves at each position of `loop`.
  BANKMODEL_FN long long slope(const split_condition& condition, int term, int loop,
                               int lane) const {
    if (condition.gap[term].known)
      return static_cast<long long>(condition.gap[term].coefficient(point_.dimension(loop)));
    return gap_of(condition, term, lane, loop) - gap_of(condition, term, lane);
  }

  // A gap that moves by equal amounts from lane to lane; `first` is its value in lane `low`.
  struct line {
    int low, high;
    long long first, per_lane;
  };
  BANKMODEL_FN line line_of(const split_condition& condition, int term,
                            std::uint64_t active) const {
    const int low = trailing_zeros(active), high = highest_bit(active);
    return {low, high, gap_of(condition, term, low),
            high > low ? static_cast<long long>(condition.gap[term].coefficient(0)) : 0};
  }

  BANKMODEL_FN void read_gaps(const split_condition& condition, int term, std::uint64_t active,
                              int moved_loop, long long* gaps) {
    point_.account.steps += 20 * point_.lanes();
    if (condition.gap[term].known) {
      point_.spread(condition.gap[term], moved_loop, gaps);
      return;
    }
    const lane_set lanes(active);
    point_.account.steps +=
        10 * lanes.count * (condition.terms[term].left.size + condition.terms[term].right.size);
    point_.read_lanes(lanes, condition.terms[term].read.used, moved_loop);
    const lane_values left = point_.evaluated(condition.terms[term].left, lanes);
    for (int index = 0; index < lanes.count; ++index)
      gaps[lanes.lane[index]] = left[lanes.lane[index]];
    const lane_values right = point_.evaluated(condition.terms[term].right, lanes);
    for (int index = 0; index < lanes.count; ++index)
      gaps[lanes.lane[index]] -= right[lanes.lane[index]];
  }

  // True if both sides of a comparison that is not linear still move by equal amounts.
  BANKMODEL_FN bool moves_evenly(const comparison& c, int loop) const {
    long long moves[variables];
    point_.read_moves(loop, moves);
    return movement_of(c.left.nodes, c.left.size, moves, nest_.ranges.unfiltered).period == 1 &&
           movement_of(c.right.nodes, c.right.size, moves, nest_.ranges.unfiltered).period == 1;
  }

  BANKMODEL_FN void add(long long position, std::uint64_t lanes, int comparison,
                        lane_changes& changes) {
    point_.account.steps += 100;
    changes.add(position, lanes, comparison);
  }

  // Cuts by a gap that moves by equal amounts both from lane to lane and from position to position:
  // lanes change in their order, often several at once. Returns false if the amount does not fit.
  BANKMODEL_FN bool cut_in_a_line(const split_condition& condition, int term, int loop,
                                  std::uint64_t active, lane_changes& changes) {
    const line gap = line_of(condition, term, active);
    const long long increment = slope(condition, term, loop, gap.low), per_lane = gap.per_lane;
    const long long first =
        condition.terms[term].op == operation::less_equal ? gap.first - 1 : gap.first;
    const int low = gap.low, last = gap.high - low;
    if (increment == int64_min) return false;
    if (increment == 0) {
      const crossing x = crossing_of(operation::less, first, per_lane);
      const std::uint64_t changed =
          !x.changes ? 0 : lanes_between(low + (x.first > 64 ? 64 : x.first), 64);
      holds_[term] = x.initial ? ~changed : changed;
      return true;
    }
    if (increment > 0) holds_[term] = ~std::uint64_t{0};
    // gap + increment * p < 0 changes at p = -gap / increment, rounded up; if the gap falls, at the
    // position after gap / -increment. Lanes are taken in the order in which they change, together
    // if at the same position.
    const bool upwards = (per_lane <= 0) == (increment > 0);
    const long long pace = increment > 0 ? increment : -increment,
                    begin = upwards ? first : first + per_lane * last,
                    step = upwards ? per_lane : -per_lane;
    for (int start = 0; start <= last;) {
      const long long g = begin + step * start;
      const long long rounds = quotient_up(-g, pace),
                      position = increment > 0 ? rounds : 1 - rounds;
      // The lanes that change at the same position: -g in (pace * (rounds - 1), pace * rounds].
      const long long remainder = g % pace < 0 ? g % pace + pace : g % pace;  // pace * rounds + g
      const long long room = step == 0       ? last
                             : increment > 0 ? remainder / -step
                                             : (pace - remainder - 1) / step;
      const int end = room >= last - start ? last + 1 : start + static_cast<int>(room) + 1;
      add(position,
          upwards ? lanes_between(low + start, low + end)
                  : lanes_between(low + last - end + 1, low + last - start + 1),
          term, changes);
      start = end;
    }
    return true;
  }

  // Returns false if a gap moves by an amount that does not fit.
  BANKMODEL_FN bool cut_lane_by_lane(const split_condition& condition, int term, int loop,
                                     std::uint64_t active, lane_changes& changes) {
    const operation op = condition.terms[term].op;
    long long current[max_lanes], next[max_lanes];
    read_gaps(condition, term, active, point::no_loop, current);
    read_gaps(condition, term, active, loop, next);
    for (std::uint64_t rest = active; rest != 0; rest &= rest - 1) {
      const int lane = trailing_zeros(rest);
      const std::uint64_t bit = rest & (0 - rest);
      // After the last position a value may wrap around: then it does not matter.
      const bool fits = has_difference(next[lane], current[lane]);
      if (!fits && point_[loop].trips > 1) return false;
      const long long increment = fits ? next[lane] - current[lane] : 0;
      const crossing x = crossing_of(op, current[lane], increment);
      if (x.initial) holds_[term] |= bit;
      if (!x.changes) continue;
      add(x.first, bit, term, changes);
      if (!is_in(order_operations, op)) add(x.first + 1, bit, term, changes);
    }
    return true;
  }
  // True if a - b fits in 64 bits, and its opposite too.
  BANKMODEL_FN static bool has_difference(long long a, long long b) {
    return b >= 0 ? a > int64_min + b : a <= int64_max + b;
  }

  const lowered& nest_;
  point& point_;
  static constexpr int conditions_kept = 4;
  split_condition conditions_[conditions_kept];
  std::uint64_t holds_[max_comparisons];  // the lanes in which each comparison holds
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
