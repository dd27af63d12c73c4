// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_SPLIT_HPP
#define BANKMODEL_COUNT_DETAIL_SPLIT_HPP

#include <bankmodel/count/detail/requests.hpp>
#include <bankmodel/count/detail/split_lockstep.hpp>
#include <bankmodel/model/cost.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The second step of counting: from loops, comparisons and linear forms (see lower.hpp) to request
// classes.
//
// Each loop has one of three fates (walk.hpp):
//
//   linear      it stays an interval of positions; if nothing inside depends on it, it multiplies
//   periodic    something inside depends on it through / % & | ^ or >>, with a period: one period
//               is enumerated; for each of its positions, every period-th position of the loop is
//               one interval, in which everything is linear
//   enumerated  all its positions, one by one (method::each_request), if nothing else is possible;
//               also powers and lists, which are short
//
// Filters cut intervals into pieces (split_filters.hpp). The number of trips of a loop may depend
// on an outer loop; these trips are summed in closed form (triangle.hpp if the base matters). A
// loop whose bounds differ from lane to lane is a loop and a filter (split_lockstep.hpp).
//
// Example: for (i = 0; i < 1000; ++i) if (tx < i) a[2 * tx] by one warp of 32 lanes.
//
//   The comparison x - q < 0 holds in lane x from position x + 1 on. So the interval is cut into
//   [1, 2), [2, 3), .. [31, 32), [32, 1000) with 1, 2, .. 31, 32 lanes. Nothing else depends on i:
//   these are 32 request classes with times 1, 1, .. 1, 968.
namespace bankmodel::detail {

class splitter {
 public:
  BANKMODEL_FN splitter(const machine& m, const block_dim& block, const access_view& access,
                        const block_index& grid_index, request_taker& taker)
      : access_(access),
        nest_(m, block, grid_index, access_, taker.residues()),
        point_(nest_, m, block, grid_index),
        walk_(nest_, point_, *this, enter_any),
        filters_(nest_, point_, walk_),
        lockstep_(nest_, point_, walk_, filters_),
        requests_(nest_, point_, walk_, taker) {
    walk_.notes_places = taker.source != nullptr;
  }
  splitter(const splitter&) = delete;  // its parts refer to each other

  // Gives all requests of the block to the taker; returns how they were found.
  // `work`: the steps that were taken before. Error: with these they are more than most_work().
  BANKMODEL_FN method run(long long work = 0) {
    point_.work = work;
    walk_.most_work = most_work();
    walk_.limit = most_iterations;
    if (__builtin_is_constant_evaluated())
      walk_.limit = most_steps_in_a_constant_expression / steps_of_an_iteration();
    return enter_groups();
  }
  // The same with at most about `steps` steps. If they are not enough, or the taker is full,
  // stopped() is true, and requests were left out.
  BANKMODEL_FN method run_within(long long steps) {
    walk_.most_work = steps;
    walk_.limit = steps / steps_of_an_iteration();
    if (walk_.limit > most_iterations) walk_.limit = most_iterations;
    walk_.may_stop = true;
    return enter_groups();
  }
  BANKMODEL_FN bool stopped() const { return walk_.stopped; }
  BANKMODEL_FN long long work() const { return point_.work; }

  // True if no subscript can be outside its extent, and no wide access misaligned.
  BANKMODEL_FN bool stays_within() const {
    return nest_.bounded == (1u << access_.subscripts) - 1 && nest_.aligned;
  }

 private:
  using place = walk::place;

  BANKMODEL_FN method enter_groups() {
    for (int number = 0; number < nest_.groups.count(); ++number) {
      point_.enter(nest_.groups.group(number));
      enter_warps(0, lanes_between(0, point_.group().lanes), 1);
    }
    return walk_.enumerated ? method::each_request : method::distinct_requests;
  }
  BANKMODEL_FN static void enter_any(splitter& owner, const place& position, std::uint64_t active,
                                     std::uint64_t times) {
    owner.enter(position, active, times);
  }
  BANKMODEL_FN void enter(const place& position, std::uint64_t active, std::uint64_t times) {
    if (position.level == access_.depth) return requests_.add(active, times);
    if (position.level < 0) return enter_warps(position.level + 3, active, times);
    const wrapper& w = access_.wrappers[position.level];
    walk_.spend(60 + 20 * (w.first.size + w.last.size + w.step.size));
    if (same(w.kind, wrapper_kind::filter)) return filters_.enter(position, active, times);
    if (position.between_bounds) return lockstep_.pass_bounds(position, active, times);
    // Only loops with linear bounds stay intervals: a loop that moves other bounds is enumerated.
    const auto moved = point_.that_move(nest_.read_by(position.level).used);
    if (moved.count > 0 && (!same(w.kind, wrapper_kind::range) || moved.count > 1 ||
                            !lockstep_.bounds_move_evenly(position.level, moved.fewest)))
      return walk_.enumerate(moved.fewest, position, active, times);
    if (same(w.kind, wrapper_kind::values)) return enter_values(position.level, active, times);
    if (nest_.is_in_lockstep(w)) return lockstep_.enter(position, moved.fewest, active, times);
    if (same(w.kind, wrapper_kind::range))
      return enter_range(position, moved.fewest, active, times);
    enter_powers(position.level, active, times);
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
      interval positions = walk::interval_of(thread, moves, loop.trips, -1);
      positions.of_warps = true;
      positions.warps = loop.warps;
      point_.add_factor(thread, point_.count(), loop.threads);
      point_.add_factor(variable::tid, point_.count(),
                        static_cast<long long>(loop.warps) * point_.lanes());
      point_.add_factor(variable::warp, point_.count(), loop.warps);
      return walk_.enter_interval(way - 3, {way - 2}, positions, active, times);
    }
    enter({0}, active, times);
  }

  // Enumerates a list, which has few values.
  BANKMODEL_FN void enter_values(int level, std::uint64_t active, std::uint64_t times) {
    const wrapper& w = access_.wrappers[level];
    if (!walk_.spend_iterations(w.first.size, false)) return;
    for (int trip = 0; trip < w.first.size; ++trip) {
      point_.set(w.variable, access_.nodes[w.first.first + trip].value);
      point_.trip[point::number(w.variable)] = trip;
      enter({level + 1}, active, times);
    }
  }
  BANKMODEL_FN void enter_powers(int level, std::uint64_t active, std::uint64_t times) {
    const wrapper& w = access_.wrappers[level];
    const int lane = trailing_zeros(active);
    long long value = point_.value(w.first, lane);
    const long long step = point_.value(w.step, lane),
                    trips = trips_of(w.kind, value, point_.value(w.last, lane), step);
    if (!walk_.spend_iterations(trips, false)) return;
    for (long long trip = 0; trip < trips; ++trip) {
      if (trip > 0) value = next(w.kind, value, step);
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
    interval inner = walk::interval_of(w.variable, variable_bit(w.variable),
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
      return walk_.enumerate(outer, position, active, times);
    if (growth != 0) {
      const long long pace = step > 0 ? step : -step;
      if (nonlinear || saved.varies || point_.that_varies_with(outer) != point_.count() ||
          (nest_.base_matters && !requests_.takes_varying_trips(pace)))
        return walk_.enumerate(outer, position, active, times);
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
    if (is_read) return walk_.enter_interval(level, {level + 1}, inner, active, times);
    enter({level + 1}, active, times_over(times, static_cast<std::uint64_t>(inner.trips)));
  }

  const access_view access_;
  lowered nest_;
  point point_;
  walk walk_;
  filter_splitter filters_;
  lockstep_splitter lockstep_;
  requests requests_;
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
