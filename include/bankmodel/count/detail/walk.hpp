// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_WALK_HPP
#define BANKMODEL_COUNT_DETAIL_WALK_HPP

#include <bankmodel/count/detail/iteration_limit.hpp>
#include <bankmodel/count/detail/point.hpp>

// The three fates of a loop: it stays an interval, one period of it is enumerated, or all of it.
namespace bankmodel::detail {

// times * factor; 0 if that does not fit in 64 bits, which is an error only if a request is made so
// often. Requires: `factor` is not 0.
BANKMODEL_FN std::uint64_t times_over(std::uint64_t times, std::uint64_t factor) {
  return times > ~std::uint64_t{0} / factor ? 0 : times * factor;
}

class splitter;

// What the parts of the split step share: the present point of the nest, and the way onwards.
class walk {
 public:
  // A wrapper, or -3, -2, -1 for the warps along x, y, z; and which part of it remains.
  struct place {
    int level;
    slice condition = {};         // of a filter: its remaining conditions
    bool between_bounds = false;  // of a loop in lockstep: the comparison with its last value
  };
  // Counts everything inside `position` for these lanes, `times` times.
  using continuation = void (*)(splitter&, const place& position, std::uint64_t active,
                                std::uint64_t times);

  long long limit = 0, iterations = 0;
  long long most_work = int64_max;
  bool enumerated = false;  // true if a loop was enumerated because nothing else was possible
  // If more iterations than the limit would be enumerated, or after more than `most_work`, the rest
  // is left out, and `stopped` is set.
  bool may_stop = false, stopped = false;
  bool notes_places = false;  // the places of requests are noted: intervals begin where they do

  BANKMODEL_FN walk(const lowered& nest, point& state, splitter& owner, continuation go_on)
      : nest_(nest), point_(state), splitter_(owner), go_on_(go_on) {}

  BANKMODEL_FN void enter(const place& position, std::uint64_t active, std::uint64_t times) {
    go_on_(splitter_, position, active, times);
  }

  // Counts work. Error: more than `most_work` in all, unless the walk may stop.
  BANKMODEL_FN void spend(long long steps) {
    point_.work += steps;
    if (point_.work <= most_work) return;
    if (!may_stop) rule::iterations_must_be_few_enough_to_count(most_work);
    stopped = true;
  }
  // Counts iterations that are enumerated, each of which takes `steps` or more. Returns false if
  // they are to be left out. Error: more than `limit` in all or too much work, unless the walk may
  // stop.
  BANKMODEL_FN bool spend_iterations(long long trips, bool no_other_way, long long steps = 1) {
    const bool too_many = trips > limit - iterations,
               too_much = trips > (most_work - point_.work) / steps;
    stopped = stopped || (may_stop && (too_many || too_much));
    if (stopped) return false;
    if (too_many) rule::iterations_must_be_few_enough_to_count(limit);
    if (too_much) rule::iterations_must_be_few_enough_to_count(most_work);
    iterations += trips;
    enumerated = enumerated || no_other_way;
    return true;
  }

  // True if work is counted that no iteration is enumerated for, as iterations that cost about as
  // much: for a compiler, and in a walk with limited steps, which is the same in constant
  // expressions and at run time.
  BANKMODEL_FN bool counts_steps() const { return may_stop || __builtin_is_constant_evaluated(); }
  // Counts the positions of a triangle. Each costs about one iteration for every 40
  // residues, and if it stands for several trips of the outer loop, one for every 15.
  BANKMODEL_FN void spend_positions(long long positions, long long trips, int residues) {
    spend((trips < positions ? trips : positions) * (100 + 40 * residues));
    if (!counts_steps()) return;
    if (trips <= positions)
      (void)spend_iterations(trips * (1 + residues / 40), false);
    else
      (void)spend_iterations(positions * (1 + residues / 15), false);
  }

  BANKMODEL_FN static interval interval_of(variable loop_variable, unsigned moves, long long trips,
                                           int outer) {
    interval result{};
    result.loop_variable = loop_variable;
    result.moves = moves;
    result.trips = trips;
    result.outer = outer;
    result.pace = 1;
    return result;
  }

  // Continues at `inside` with one more loop, the one of the wrapper at `level`.
  // Requires: the forms of the variables that it moves are set.
  BANKMODEL_FN void enter_interval(int level, const place& inside, const interval& added,
                                   std::uint64_t active, std::uint64_t times) {
    const int loop = point_.count();
    point_.push(added);
    const unsigned nonlinear =
        added.moves & (nest_.nonlinear() | nest_.read_inside(level).nonlinear);
    long long period = 1;
    if (nonlinear != 0 && added.trips > 1) {
      long long moves[variables];
      spend(250);
      point_.read_moves(loop, moves);
      period = nest_.period_inside(level, added.moves, moves);
      const bool no_other_way = period == 0 && !added.of_warps;
      if (period == 0 || period > added.trips) period = added.trips;
      const bool evaluated = inside.level == nest_.access.depth &&
                             (nonlinear & nest_.subscripts.nonlinear_in_lanes) != 0;
      const long long steps = evaluated ? steps_of_request() : 1;
      if (period > 1 && !spend_iterations(period, no_other_way, steps)) return point_.pop();
    }
    if (period == 1)
      enter(inside, active, times);
    else
      enter_period(inside, loop, period, active, times);
    point_.pop();
  }
  // Enumerates one period: position `offset` of it represents q = offset + period * q'.
  BANKMODEL_FN void enter_period(const place& inside, int loop, long long period,
                                 std::uint64_t active, std::uint64_t times) {
    const interval original = point_[loop];
    linear_form saved[3];  // a loop moves one variable, warps move three
    const int dimension = point_.dimension(loop);
    point_[loop].pace = period;
    for (long long offset = 0; offset < period && !stopped; ++offset) {
      point_[loop].trips = (original.trips - offset - 1) / period + 1;
      point_[loop].skipped = offset;
      int number = 0;
      for (unsigned rest = original.moves & nest_.used; rest != 0; rest &= rest - 1, ++number) {
        const auto variable = static_cast<bankmodel::variable>(trailing_zeros(rest));
        if (offset == 0) saved[number] = point_.form(variable);
        linear_form form = saved[number];
        const std::uint64_t factor = form.coefficient(dimension);
        form.constant += factor * static_cast<std::uint64_t>(offset);
        form.set(dimension, factor * static_cast<std::uint64_t>(period));
        point_.set(variable, form);
      }
      enter(inside, active, times);
    }
    int number = 0;
    for (unsigned rest = original.moves & nest_.used; rest != 0; rest &= rest - 1)
      point_.set(static_cast<variable>(trailing_zeros(rest)), saved[number++]);
  }

  // Enumerates the positions of one loop, and continues at `position` for each.
  BANKMODEL_FN void enumerate(int loop, const place& position, std::uint64_t active,
                              std::uint64_t times) {
    const interval original = point_[loop], saved = point_.tightened(loop);
    if (!spend_iterations(saved.trips, !saved.of_warps)) return;
    const int inner = point_.that_varies_with(loop);
    const bool has_inner = inner < point_.count();
    interval saved_inner{};
    if (has_inner) saved_inner = point_[inner];
    for (long long current = saved.begin; current < saved.begin + saved.trips && !stopped;
         ++current) {
      point_[loop].begin = current;
      point_[loop].trips = 1;
      if (has_inner) {
        const long long end = saved_inner.begin + saved_inner.trips,
                        trips = saved_inner.trips_at.trips(current);
        point_[inner].varies = false;
        point_[inner].trips = (trips < end ? trips : end) - saved_inner.begin;
        if (point_[inner].trips < 1) continue;
      }
      enter(position, active, times);
    }
    point_[loop] = original;
    if (has_inner) point_[inner] = saved_inner;
  }

 private:
  // About the steps for a request whose lanes are evaluated, and whose passes are counted.
  BANKMODEL_FN long long steps_of_request() const {
    return 150 + point_.group().lanes * (33ll + nest_.steps_of_lanes());
  }

  const lowered& nest_;
  point& point_;
  splitter& splitter_;
  continuation go_on_;
};

}  // namespace bankmodel::detail

#endif
