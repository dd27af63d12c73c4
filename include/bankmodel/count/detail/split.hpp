// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_SPLIT_HPP
#define BANKMODEL_COUNT_DETAIL_SPLIT_HPP

#include <bankmodel/count/detail/cuts.hpp>
#include <bankmodel/count/detail/requests.hpp>
#include <bankmodel/count/detail/trips.hpp>
#include <bankmodel/model/cost.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The second step of counting: from loops, comparisons and linear forms (see lower.hpp) to request
// classes.
//
// Each loop has one of three fates:
//
//   linear      it stays an interval of positions; if nothing inside depends on it, it multiplies
//   periodic    something inside depends on it through / % & | ^ or >>, with a period: one period
//               is enumerated; for each of its positions, every period-th position of the loop is
//               one interval, in which everything is linear
//   enumerated  all its positions, one by one (method::each_request), if nothing else is possible;
//               also powers and lists, which are short
//
// Filters cut intervals into pieces. The number of trips of a loop may depend
// on an outer loop; these trips are summed in closed form (requests.hpp if the base matters). A
// loop whose bounds differ from lane to lane is a loop and a filter.
//
// Example: for (i = 0; i < 1000; ++i) if (tx < i) a[2 * tx] by one warp of 32 lanes.
//
//   The comparison x - q < 0 holds in lane x from position x + 1 on. So the interval is cut into
//   [1, 2), [2, 3), .. [31, 32), [32, 1000) with 1, 2, .. 31, 32 lanes. Nothing else depends on i:
//   these are 32 request classes with times 1, 1, .. 1, 968.
namespace bankmodel::detail {

// times * factor; 0 if that does not fit in 64 bits, which is an error only if a request is made so
// often. Requires: `factor` is not 0.
BANKMODEL_FN std::uint64_t times_over(std::uint64_t times, std::uint64_t factor) {
  return times > ~std::uint64_t{0} / factor ? 0 : times * factor;
}

class splitter {
 public:
  BANKMODEL_FN splitter(const machine& m, const block_dim& block, const access_view& access,
                        const block_index& grid_index, request_taker& taker)
      : access_(access),
        nest_(m, block, grid_index, access_, taker.residues()),
        point_(nest_, m, block, grid_index),
        cutter_(nest_, point_),
        requests_(nest_, point_, taker),
        notes_places_(taker.source != nullptr) {}
  splitter(const splitter&) = delete;  // its parts refer to each other

  // Gives all requests of the block to the taker; returns how they were found.
  // `work`: the steps that were taken before. Error: with these they are more than most_work().
  BANKMODEL_FN method run(long long work = 0) {
    account().steps = work;
    account().most_steps = most_work();
    account().most_iterations = most_iterations;
    if (__builtin_is_constant_evaluated())
      account().most_iterations = most_steps_in_a_constant_expression / steps_of_an_iteration();
    return enter_groups();
  }
  // The same with at most about `steps` steps. If they are not enough, or the taker is full,
  // stopped() is true, and requests were left out.
  BANKMODEL_FN method run_within(long long steps) {
    account().most_steps = steps;
    account().most_iterations = steps / steps_of_an_iteration();
    if (account().most_iterations > most_iterations) account().most_iterations = most_iterations;
    account().may_stop = true;
    return enter_groups();
  }
  BANKMODEL_FN bool stopped() const { return point_.account.stopped; }
  BANKMODEL_FN long long work() const { return point_.account.steps; }

  // True if no subscript can be outside its extent, and no wide access misaligned.
  BANKMODEL_FN bool stays_within() const {
    return nest_.bounded == (1u << access_.subscripts) - 1 && nest_.aligned;
  }

 private:
  // A wrapper, or -3, -2, -1 for the warps along x, y, z; and which part of it remains.
  struct place {
    int level;
    slice condition = {};         // of a filter: its remaining conditions
    bool between_bounds = false;  // of a loop in lockstep: the comparison with its last value
  };

  BANKMODEL_FN work_account& account() { return point_.account; }

  BANKMODEL_FN method enter_groups() {
    for (int number = 0; number < nest_.groups.count(); ++number) {
      point_.enter(nest_.groups.group(number));
      enter_warps(0, lanes_between(0, point_.group().lanes), 1);
    }
    return account().enumerated ? method::each_request : method::distinct_requests;
  }
  // Counts everything inside `position` for these lanes, `times` times.
  BANKMODEL_FN void enter(const place& position, std::uint64_t active, std::uint64_t times) {
    if (position.level == access_.depth) return requests_.add(active, times);
    if (position.level < 0) return enter_warps(position.level + 3, active, times);
    const wrapper& w = access_.wrappers[position.level];
    account().spend(60 + 20 * (w.first.size + w.last.size + w.step.size));
    if (same(w.kind, wrapper_kind::filter)) return enter_filter(position, active, times);
    if (position.between_bounds) return pass_bounds(position, active, times);
    // Only loops with linear bounds stay intervals: a loop that moves other bounds is enumerated.
    const auto moved = point_.that_move(nest_.read_by(position.level).used);
    if (moved.count > 0 && (!same(w.kind, wrapper_kind::range) || moved.count > 1 ||
                            !bounds_move_evenly(position.level, moved.fewest)))
      return enumerate(moved.fewest, position, active, times);
    if (nest_.is_in_lockstep(w)) return enter_lockstep(position, moved.fewest, active, times);
    if (same(w.kind, wrapper_kind::range))
      return enter_range(position, moved.fewest, active, times);
    enter_values(position.level, active, times);
  }

  // About the steps of clang for one enumerated iteration.
  BANKMODEL_FN long long steps_of_an_iteration() const {
    long long operators = 0;
    for (int d = 0; d < access_.subscripts; ++d) operators += operators_in(access_.subscript[d]);
    for (int level = 0; level < access_.depth; ++level) {
      const wrapper& w = access_.wrappers[level];
      operators += operators_in(w.first) + operators_in(w.last) + operators_in(w.step);
    }
    const bool in_each_lane =
        (nest_.subscripts.nonlinear_in_lanes | nest_.in_lockstep) != 0 || !nest_.in_a_line;
    return in_each_lane ? 32 * (45 + 8 * operators) : 200 + 40 * operators;
  }

  BANKMODEL_FN long long operators_in(const slice& program) const {
    long long count = 0;
    for (int index = 0; index < program.size; ++index)
      count += is_in(leaf_operations, access_.nodes[program.first + index].op) ? 0 : 1;
    return count;
  }

  // The warps of the group along x, y and z, from direction `way` on: loops like others, but not
  // counted as iterations.
  BANKMODEL_FN void enter_warps(int way, std::uint64_t active, std::uint64_t times) {
    for (; way < 3; ++way) {
      const warp_loop& loop = point_.group().axes[way];
      if (loop.trips == 1) continue;
      const auto thread = static_cast<variable>(way);  // tx, ty, tz are the first variables
      const unsigned moves =
          variable_bit(thread) | variable_bit(variable::tid) | variable_bit(variable::warp);
      if (!nest_.matters(moves, -1)) {
        times *= static_cast<std::uint64_t>(loop.trips);
        continue;
      }
      const interval positions = interval_of(thread, moves, loop.trips, -1, loop.warps);
      point_.add_factor(thread, point_.count(), loop.threads);
      point_.add_factor(variable::tid, point_.count(),
                        static_cast<long long>(loop.warps) * point_.lanes());
      point_.add_factor(variable::warp, point_.count(), loop.warps);
      return enter_interval(way - 3, {way - 2}, positions, active, times);
    }
    enter({0}, active, times);
  }

  // Enumerates a list, or a loop over powers: few values.
  BANKMODEL_FN void enter_values(int level, std::uint64_t active, std::uint64_t times) {
    const wrapper& w = access_.wrappers[level];
    const bool is_list = same(w.kind, wrapper_kind::values);
    long long value = 0, step = 0, trips = w.first.size;
    if (!is_list) {
      const int lane = trailing_zeros(active);
      value = point_.value(w.first, lane);
      step = point_.value(w.step, lane);
      trips = trips_of(w.kind, value, point_.value(w.last, lane), step);
    }
    if (!account().spend_iterations(trips, false)) return;
    for (long long trip = 0; trip < trips; ++trip) {
      if (is_list)
        value = access_.nodes[w.first.first + trip].value;
      else if (trip > 0)
        value = next(w.kind, value, step);
      point_.set(w.variable, value);
      point_.trip[point::number(w.variable)] = trip;
      enter({level + 1}, active, times);
    }
  }

  // A loop with the same bounds in all lanes, which `outer` moves evenly (-1: no loop moves them).
  // If its number of trips varies, and more than the sum of the trips has to be known, the outer
  // loop is enumerated.
  BANKMODEL_FN void enter_range(const place& position, int outer, std::uint64_t active,
                                std::uint64_t times) {
    const wrapper& w = access_.wrappers[position.level];
    const int lane = trailing_zeros(active);
    const long long first = point_.value(w.first, lane), last = point_.value(w.last, lane),
                    step = point_.value(w.step, lane);
    interval inner = interval_of(w.variable, variable_bit(w.variable),
                                 trips_of(w.kind, first, last, step), outer);
    if (outer < 0) {
      if (inner.trips != 0) enter_loop(position.level, lane, step, inner, active, times);
      return;
    }
    const interval saved = point_[outer];
    const long long first_by = checked_subtract(point_.value(w.first, lane, outer), first);
    const long long growth =
        checked_subtract(checked_subtract(point_.value(w.last, lane, outer), last), first_by);
    const bool nonlinear = nest_.variable_is_nonlinear(position.level);
    if (step == int64_min || (first_by != 0 && nonlinear))
      return enumerate(outer, position, active, times);
    if (growth != 0) {
      const long long pace = step > 0 ? step : -step;
      if (nonlinear || saved.varies || point_.that_varies_with(outer) != point_.count() ||
          (nest_.base_matters && !requests_.takes_varying_trips(pace)))
        return enumerate(outer, position, active, times);
      read_varying_trips(step > 0 ? checked_subtract(last, first) : checked_subtract(first, last),
                         step > 0 ? growth : checked_subtract(0, growth), pace, inner);
    } else if (inner.trips == 0) {
      return;
    }
    if (first_by != 0) point_[outer].moves |= inner.moves;
    if (point_[outer].trips > 0) enter_loop(position.level, lane, step, inner, active, times);
    point_[outer] = saved;
  }
  // A loop with (span + growth * p) / pace trips, rounded up, after p more positions of its outer
  // loop. The outer loop is cut to the positions with at least one trip, possibly none.
  BANKMODEL_FN void read_varying_trips(long long span, long long growth, long long pace,
                                       interval& inner) {
    interval& o = point_[inner.outer];
    inner.varies = true;
    inner.trips_at = {
        checked_subtract(checked_add(span, pace - 1), checked_multiply(growth, o.begin)), growth,
        pace};
    const crossing begins =
        crossing_of(operation::less, checked_subtract(0, span), checked_subtract(0, growth));
    const long long border = begins.first < 0 ? 0 : begins.first < o.trips ? begins.first : o.trips;
    if (!begins.initial) o.begin += border;
    o.trips = begins.initial ? border : o.trips - border;
    if (o.trips > 0)
      inner.trips = inner.trips_at.trips(growth > 0 ? o.begin + o.trips - 1 : o.begin);
  }

  // Enters a loop. If nothing inside depends on it, it multiplies: its variable keeps one value.
  BANKMODEL_FN void enter_loop(int level, int lane, long long step, const interval& inner,
                               std::uint64_t active, std::uint64_t times) {
    const bool is_read = inner.varies || nest_.matters(inner.moves, level);
    point_.set_loop(access_.wrappers[level], lane, is_read ? step : 0, inner.outer);
    if (is_read) return enter_interval(level, {level + 1}, inner, active, times);
    enter({level + 1}, active, times_over(times, static_cast<std::uint64_t>(inner.trips)));
  }

  // ---- the three fates of a loop ----

  // `warps`: from one position to the next, if the positions are warps.
  BANKMODEL_FN static interval interval_of(variable loop_variable, unsigned moves, long long trips,
                                           int outer, int warps = 0) {
    return {moves, loop_variable, warps != 0, false, outer, 0, trips, {}, warps, 0, 1};
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
      account().spend(250);
      point_.read_moves(loop, moves);
      period = nest_.period_inside(level, added.moves, moves);
      const bool no_other_way = period == 0 && !added.of_warps;
      if (period == 0 || period > added.trips) period = added.trips;
      const bool evaluated = inside.level == nest_.access.depth &&
                             (nonlinear & nest_.subscripts.nonlinear_in_lanes) != 0;
      const long long steps = evaluated ? steps_of_request() : 1;
      if (period > 1 && !account().spend_iterations(period, no_other_way, steps))
        return point_.pop();
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
    for (long long offset = 0; offset < period && !stopped(); ++offset) {
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
    if (!account().spend_iterations(saved.trips, !saved.of_warps)) return;
    const int inner = point_.that_varies_with(loop);
    const bool has_inner = inner < point_.count();
    interval saved_inner{};
    if (has_inner) saved_inner = point_[inner];
    for (long long current = saved.begin; current < saved.begin + saved.trips && !stopped();
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
  // About the steps for a request whose lanes are evaluated, and whose passes are counted.
  BANKMODEL_FN long long steps_of_request() const {
    return 150 + point_.group().lanes * (33ll + nest_.steps_of_lanes());
  }

  // ---- filters ----

  // A comparison that one loop moves cuts its interval into pieces, each with the lanes that pass
  // in it; if two loops move it, the pieces of one loop shift with the other.
  BANKMODEL_FN void enter_filter(const place& position, std::uint64_t active, std::uint64_t times) {
    const slice conditions = position.condition.size != 0
                                 ? position.condition
                                 : nest_.access.wrappers[position.level].first;
    split_condition& read = cutter_.read(position.level, conditions);
    const place filter{position.level, conditions},
        inside{read.rest.size != 0 ? position.level : position.level + 1, read.rest};
    if (read.may_be_taken_apart) return pass(read, filter, inside, active, times);
    const auto moved = point_.that_move(read.used);
    if (moved.count != 0) return enumerate(moved.fewest, filter, active, times);
    const lane_set lanes(active);
    account().spend(lanes.count * (4 + 7 * read.condition.size));
    point_.read_lanes(lanes, read.used);
    const lane_values holds = point_.evaluated(read.condition, lanes);
    std::uint64_t passing = 0;
    for (int index = 0; index < lanes.count; ++index)
      if (holds[lanes.lane[index]] != 0) passing |= std::uint64_t{1} << lanes.lane[index];
    if (passing != 0) enter(inside, passing, times);
  }
  // Continues at `inside` with the lanes that pass the condition, which is at `filter`.
  BANKMODEL_FN void pass(split_condition& condition, const place& filter, const place& inside,
                         std::uint64_t active, std::uint64_t times) {
    const auto moved = point_.that_move(condition.used);
    account().spend(150);
    if (moved.count == 0) {
      const std::uint64_t passing = cutter_.lanes_that_pass(condition, active);
      if (passing != 0) enter(inside, passing, times);
    } else if (!(moved.count == 1 && cut(condition, moved.longest, inside, active, times)) &&
               !(moved.count == 2 && !condition.is_wide &&
                 cut_by_two(condition, moved.longest, moved.fewest, inside, active, times))) {
      enumerate(moved.fewest, filter, active, times);
    }
  }
  // A filter that one loop moves. Returns false if the condition does not move evenly.
  BANKMODEL_FN bool cut(split_condition& condition, int loop, const place& inside,
                        std::uint64_t active, std::uint64_t times) {
    pieces by_lanes;
    if (!cutter_.cut(condition, loop, active, by_lanes)) return false;
    if (account().counts_steps() && !account().spend_iterations(by_lanes.count / 2, false))
      return true;
    const interval original = point_[loop], saved = point_.tightened(loop);
    const bool last_reader = nothing_reads(saved.moves, inside) && !saved.varies &&
                             point_.that_varies_with(loop) == point_.count();
    const bool alike =
        last_reader && !notes_places_ && subscripts_may_be_read_anywhere(saved.moves);
    for (int piece = 0; piece < by_lanes.count; ++piece) {
      const long long begin = piece == 0 || by_lanes.begin[piece] < 0 ? 0 : by_lanes.begin[piece];
      const bool last = piece == by_lanes.count - 1 || by_lanes.begin[piece + 1] > saved.trips;
      const long long trips = (last ? saved.trips : by_lanes.begin[piece + 1]) - begin;
      if (trips <= 0 || by_lanes.lanes[piece] == 0) continue;
      if (!alike) point_[loop].begin = saved.begin + begin;
      point_[loop].trips = last_reader ? 1 : trips;
      enter(inside, by_lanes.lanes[piece],
            last_reader ? times_over(times, static_cast<std::uint64_t>(trips)) : times);
    }
    point_[loop] = original;
    return true;
  }

  // A filter that two loops move. Returns false unless a step of one shifts the pieces of the other
  // by whole positions.
  BANKMODEL_FN bool cut_by_two(split_condition& condition, int loop, int other, const place& inside,
                               std::uint64_t active, std::uint64_t times) {
    const interval saved = point_[loop], saved_other = point_[other];
    for (int inner = 0; inner < point_.count(); ++inner)
      if (point_[inner].outer == loop || point_[inner].outer == other) return false;
    if (saved.outer >= 0 || saved_other.outer >= 0) return false;
    long long shift = 0;
    pieces by_lanes;
    if (!cutter_.read_shift(condition, loop, other, active, shift) ||
        !cutter_.cut(condition, loop, active, by_lanes))
      return false;
    const bool last_reader = nothing_reads(saved.moves | saved_other.moves, inside);
    if (last_reader)
      enter_pairs(by_lanes, shift, loop, other, inside, times);
    else
      enter_shifted(by_lanes, shift, loop, other, inside, times);
    point_[loop] = saved;
    point_[other] = saved_other;
    return true;
  }
  // If nothing else depends on the two loops: each piece once, for all its pairs of positions.
  BANKMODEL_FN void enter_pairs(const pieces& by_lanes, long long shift, int loop, int other,
                                const place& inside, std::uint64_t times) {
    const interval saved = point_[loop], saved_other = point_[other];
    const bool alike =
        !notes_places_ && subscripts_may_be_read_anywhere(saved.moves | saved_other.moves);
    point_[loop].trips = point_[other].trips = 1;
    std::uint64_t previous = 0;  // pairs before the piece
    for (int piece = 0; piece < by_lanes.count; ++piece) {
      const bool first = piece == 0, last = piece == by_lanes.count - 1;
      const long long begin = first ? 0 : by_lanes.begin[piece],
                      end = last ? 0 : by_lanes.begin[piece + 1];
      const bool is_whole = !first && !last && stays_in_loop(begin, end, shift, saved, saved_other);
      const std::uint64_t cumulative =
          last ? times_over(static_cast<std::uint64_t>(saved.trips),
                            static_cast<std::uint64_t>(saved_other.trips))
          : is_whole
              ? checked_count_sum(
                    previous, checked_count_product(static_cast<std::uint64_t>(end - begin),
                                                    static_cast<std::uint64_t>(saved_other.trips)))
              : moving_trips{end, shift, 1}.sum(0, saved_other.trips, saved.trips);
      const std::uint64_t pairs = cumulative - previous;
      previous = cumulative;
      if (by_lanes.lanes[piece] == 0) continue;
      if (last && cumulative == 0) rule::counts_must_fit_in_64_bits();
      if (pairs == 0) continue;
      if (!alike) {
        // The first position of the other loop with a pair in this piece.
        const long long missing =
            shift > 0 ? (last ? -1 : -end) : (first ? -1 : begin - saved.trips);
        const long long position = missing < 0 ? 0 : missing / (shift > 0 ? shift : -shift) + 1;
        const long long start = first ? 0 : begin + shift * position;
        point_[other].begin = saved_other.begin + position;
        point_[loop].begin = saved.begin + (start < 0 ? 0 : start);
        const bool is_outer =
            saved.of_warps && saved_other.of_warps ? saved.warps > saved_other.warps : loop < other;
        if (notes_places_ && is_outer && shift < 0)
          go_to_first(first ? int64_min : begin, last ? int64_max : end, shift, loop, other, saved,
                      saved_other);
      }
      enter(inside, by_lanes.lanes[piece], times_over(times, pairs));
    }
  }
  // Goes to the first pair of a piece in the order of the loops, `loop` being the outer one: with
  // its first position, and with that the first of `other`. Requires: shift < 0.
  BANKMODEL_FN void go_to_first(long long begin, long long end, long long shift, int loop,
                                int other, const interval& saved, const interval& saved_other) {
    // The piece is at [begin + shift * q, end + shift * q) at position q of `other`.
    const long long descent = -shift, last = saved_other.trips - 1;
    long long position =
        end == int64_max || (end - 1) / descent > last ? last : (end - 1) / descent;
    const long long start = begin == int64_min ? 0 : begin - descent * position;
    if (start <= 0) position = begin == int64_min || begin <= 0 ? 0 : (begin - 1) / descent + 1;
    point_[other].begin = saved_other.begin + position;
    point_[loop].begin = saved.begin + (start < 0 ? 0 : start);
  }
  // Enumerates the other loop, each position with its shifted pieces. A piece that has the same
  // trips at all positions, on which only subscripts depend, is not enumerated.
  BANKMODEL_FN void enter_shifted(const pieces& by_lanes, long long shift, int loop, int other,
                                  const place& inside, std::uint64_t times) {
    const interval saved = point_[loop], saved_other = point_[other];
    if (!account().spend_iterations(checked_multiply(saved_other.trips, by_lanes.count),
                                    !saved_other.of_warps))
      return;
    const bool last_reader = !notes_places_ && nothing_reads(saved.moves, inside) &&
                             (saved_other.moves & used_by_wrappers(inside)) == 0;
    for (int piece = 0; piece < by_lanes.count; ++piece) {
      if (by_lanes.lanes[piece] == 0) continue;
      const bool first = piece == 0, last = piece == by_lanes.count - 1,
                 together = last_reader && !first && !last &&
                            stays_in_loop(by_lanes.begin[piece], by_lanes.begin[piece + 1], shift,
                                          saved, saved_other);
      for (long long position = 0; position < (together ? 1 : saved_other.trips); ++position) {
        const long long start = first ? 0 : checked_add(by_lanes.begin[piece], shift * position);
        const long long end =
            last ? saved.trips : checked_add(by_lanes.begin[piece + 1], shift * position);
        const long long begin = start < 0 ? 0 : start,
                        trips = (end > saved.trips ? saved.trips : end) - begin;
        if (trips <= 0) continue;
        point_[other].begin = saved_other.begin + position;
        point_[other].trips = together ? saved_other.trips : 1;
        point_[loop].begin = saved.begin + begin;
        point_[loop].trips = together ? 1 : trips;
        enter(inside, by_lanes.lanes[piece],
              together ? times_over(times, static_cast<std::uint64_t>(trips)) : times);
      }
    }
  }
  // True if a piece of a loop, which begins at `begin` and ends before `end`, is within the loop at
  // all positions of the other one, each of which shifts it by `shift`.
  BANKMODEL_FN static bool stays_in_loop(long long begin, long long end, long long shift,
                                         const interval& loop, const interval& other) {
    const long long pace = shift < 0 ? -shift : shift;
    return begin >= 0 && end <= loop.trips &&
           (pace == 0 || (shift < 0 ? begin : loop.trips - end) / pace >= other.trips - 1);
  }

  // True if the subscripts, which do not depend on these variables any more, have the same values
  // and no error at positions where no lane is active.
  BANKMODEL_FN bool subscripts_may_be_read_anywhere(unsigned moves) const {
    return (nest_.subscripts.used & moves) == 0 || nest_.may_be_read_anywhere();
  }
  // True if nothing inside `inside` depends on these variables.
  BANKMODEL_FN bool nothing_reads(unsigned moves, const place& inside) const {
    return (moves & (used_by_wrappers(inside) | nest_.used_by_requests())) == 0;
  }
  BANKMODEL_FN unsigned used_by_wrappers(const place& inside) const {
    if (inside.condition.size == 0) return nest_.read_inside(inside.level - 1).used;
    return nest_.used_by(inside.condition) | nest_.read_inside(inside.level).used;
  }

  // ---- loops in lockstep, whose bounds or steps differ from lane to lane ----

  // True if the loop `outer` moves the bounds of the loop at `level`, and not its step, by the same
  // amount at each position and in each lane.
  BANKMODEL_FN bool bounds_move_evenly(int level, int outer) const {
    const unsigned moves = point_[outer].moves;
    const wrapper& w = nest_.access.wrappers[level];
    const bool in_lockstep = nest_.is_in_lockstep(w);
    if ((nest_.used_by(w.step) & moves) != 0) return false;
    if (in_lockstep && ((nest_.used_by(w.step) & nest_.lanes) != 0 ||
                        nest_.variable_is_nonlinear(level) || !span_of(w).known))
      return false;
    if ((nest_.read_by(level).nonlinear & moves) == 0) return true;
    long long changes[variables];
    point_.read_moves(outer, changes);
    const movement first = movement_of(nest_.access.nodes + w.first.first, w.first.size, changes,
                                       nest_.ranges.unfiltered);
    const movement last = movement_of(nest_.access.nodes + w.last.first, w.last.size, changes,
                                      nest_.ranges.unfiltered);
    return first.period == 1 && last.period == 1 && !(in_lockstep && (first.scaled || last.scaled));
  }
  // A loop with the trips of the longest lane, and inside it a filter, which only the lanes pass
  // that have not reached their last value.
  BANKMODEL_FN void enter_lockstep(const place& position, int outer, std::uint64_t active,
                                   std::uint64_t times) {
    const wrapper& w = nest_.access.wrappers[position.level];
    const int lane = trailing_zeros(active);
    const unsigned bit = variable_bit(w.variable);
    account().spend(20 * point_.lanes() * (w.first.size + w.last.size));
    lockstep loop;
    long long step = 0;
    if (same(w.kind, wrapper_kind::range) && (nest_.used_by(w.step) & nest_.lanes) == 0) {
      step = point_.value(w.step, lane);
      if (step == 0) rule::step_must_not_be_zero();
      loop = outer >= 0 ? span_of(w) : span_of(w, active, step > 0);
    }
    if (!loop.known || step == int64_min) return walk_in_lockstep(position.level, active, times);
    if (loop.longest <= 0) return;
    const long long pace = step > 0 ? step : -step;
    const interval inner = interval_of(w.variable, bit, (loop.longest - 1) / pace + 1, -1);
    const bool equal_trips = loop.shortest > 0 && (loop.shortest - 1) / pace + 1 ==
                                                      inner.trips;  // all lanes finish at once
    point_.set_loop(w, lane, step, outer);
    const unsigned moves = outer < 0 ? 0 : point_[outer].moves;
    if ((nest_.used_by(w.first) & moves) != 0) point_[outer].moves |= bit;
    enter_interval(position.level,
                   equal_trips ? place{position.level + 1} : place{position.level, {}, true}, inner,
                   active, times);
    if (outer >= 0) point_[outer].moves = moves;
  }
  // Enters the filter in a loop in lockstep.
  BANKMODEL_FN void pass_bounds(const place& position, std::uint64_t active, std::uint64_t times) {
    const wrapper& w = nest_.access.wrappers[position.level];
    const bool upwards = point_.value(w.step, trailing_zeros(active)) > 0;
    const node variable_itself{operation::variable, static_cast<long long>(w.variable)};
    const program value{&variable_itself, 1}, last{nest_.access.nodes + w.last.first, w.last.size};
    split_condition condition;
    condition.version = -1;
    condition.is_wide = false;
    condition.terms.set({upwards ? value : last, upwards ? last : value, operation::less, {}},
                        nest_.lanes, nest_.fixed);
    condition.used = variable_bit(w.variable) | nest_.used_by(w.last);
    pass(condition, position, {position.level + 1}, active, times);
  }
  // The largest and the smallest distance between the two bounds of a lane, in the direction of the
  // step.
  struct lockstep {
    bool known = false;
    long long longest = 0, shortest = 0;
  };
  // The distances of all lanes at any position of any loop. Requires: all lanes have the same step.
  BANKMODEL_FN lockstep span_of(const wrapper& w) const {
    const value_range first = nest_.ranges.range(w.first), last = nest_.ranges.range(w.last),
                      step = nest_.ranges.range(w.step);
    if (!first.is_narrow() || !last.is_narrow() || !step.known() ||
        (step.lowest <= 0 && step.highest >= 0))
      return {};
    if (step.lowest > 0) return {true, last.highest - first.lowest, last.lowest - first.highest};
    return {true, first.highest - last.lowest, first.lowest - last.highest};
  }
  // The distances of these lanes; not known if sums of values could overflow. Requires: no loop
  // moves the bounds.
  BANKMODEL_FN lockstep span_of(const wrapper& w, std::uint64_t active, bool upwards) const {
    linear_form first_form, last_form;
    point_.read(w.first, first_form);
    point_.read(w.last, last_form);
    const bool ends_are_enough = point_.is_line(first_form) && point_.is_line(last_form);
    const int low = trailing_zeros(active), high = highest_bit(active);
    lockstep result{true};
    for (int lane = low; lane <= high; lane = ends_are_enough && lane < high ? high : lane + 1) {
      if ((active >> lane & 1) == 0) continue;
      const long long first = point_.value(w.first, lane), last = point_.value(w.last, lane);
      if (!value_range{first, first}.is_narrow() || !value_range{last, last}.is_narrow()) return {};
      const long long distance = upwards ? last - first : first - last;
      if (lane == low || distance > result.longest) result.longest = distance;
      if (lane == low || distance < result.shortest) result.shortest = distance;
    }
    return result;
  }

  // Enumerates a loop whose step differs between lanes, a loop over powers or values, or one whose
  // bounds are not known in advance.
  BANKMODEL_FN void walk_in_lockstep(int level, std::uint64_t active, std::uint64_t times) {
    const wrapper& w = nest_.access.wrappers[level];
    long long value[max_lanes], step[max_lanes], trips[max_lanes], longest = 0;
    for (std::uint64_t rest = active; rest != 0; rest &= rest - 1) {
      const int lane = trailing_zeros(rest);
      value[lane] = point_.value(w.first, lane);
      step[lane] = point_.value(w.step, lane);
      trips[lane] = trips_of(w.kind, value[lane], point_.value(w.last, lane), step[lane]);
      if (trips[lane] > longest) longest = trips[lane];
    }
    if (!account().spend_iterations(longest, same(w.kind, wrapper_kind::range))) return;
    point_.set_loop(w, trailing_zeros(active), 0, -1);
    linear_form form = point_.form(w.variable);
    point_.push(interval_of(w.variable, variable_bit(w.variable), 1, -1));
    for (long long trip = 0; trip < longest; ++trip) {
      std::uint64_t running = 0;
      account().spend(12 * point_.lanes());
      for (std::uint64_t rest = active; rest != 0; rest &= rest - 1) {
        const int lane = trailing_zeros(rest);
        if (trip >= trips[lane]) continue;
        running |= rest & (0 - rest);
        if (trip > 0) value[lane] = next(w.kind, value[lane], step[lane]);
      }
      point_.set(w.variable, form);
      point_[point_.count() - 1].skipped = trip;
      if (nest_.is_uneven(w))
        point_.set_uneven(w.variable, {}, value);
      else
        form.constant += static_cast<std::uint64_t>(step[trailing_zeros(active)]);
      enter({level + 1}, running, times);
    }
    point_.pop();
  }

  const access_view access_;
  lowered nest_;
  point point_;
  cutter cutter_;
  requests requests_;
  const bool notes_places_;  // the places of requests are noted: intervals begin where they do
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
