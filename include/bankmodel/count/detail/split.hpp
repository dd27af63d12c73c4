// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_SPLIT_HPP
#define BANKMODEL_COUNT_DETAIL_SPLIT_HPP

#include <bankmodel/count/detail/requests.hpp>
#include <bankmodel/count/detail/split_filters.hpp>

// The second step of counting: from loops, comparisons and linear forms (see lower.hpp) to request
// classes.
//
// Each loop has one of three fates (split_loops.hpp):
//
//   linear      it stays an interval of positions; if nothing inside depends on it, it multiplies
//   periodic    something inside depends on it through / % & | ^ or >>, with a period: one period
//               is enumerated; for each of its positions, every period-th position of the loop is
//               one interval, in which everything is linear
//   enumerated  all its positions, one by one (method::each_request), if nothing else is possible;
//               also powers and lists, which are short
//
// Filters cut intervals into pieces (split_filters.hpp). The number of trips of a loop may depend
// on an outer loop; such trips are summed in closed form (split_loops.hpp). A loop whose bounds
// differ from lane to lane is a loop and a filter.
//
// Example: for (i = 0; i < 1000; ++i) if (tx < i) a[2 * tx] by one warp of 32 lanes.
//
//   The comparison x - q < 0 holds in lane x from position x + 1 on. So the interval is cut into
//   [1, 2), [2, 3), .. [31, 32), [32, 1000) with 1, 2, .. 31, 32 lanes. Nothing else depends on i:
//   these are 32 request classes with times 1, 1, .. 1, 968.
namespace bankmodel::detail {

class splitter : public filter_splitter {
 public:
  BANKMODEL_FN splitter(const machine& m, const block_dim& block, const access_view& access,
                        const block_index& at, request_taker& to)
      : filter_splitter(m, block, access, at, to.residues(), enter_any),
        requests_(of_, point_, to) {}

  // Gives all requests of the block to the taker; returns how they were found.
  BANKMODEL_FN method run() {
    limit_ = __builtin_is_constant_evaluated()
                 ? most_steps_in_a_constant_expression / of_.steps_of_an_iteration()
                 : most_iterations;
    enumerated_ = !of_.few_residues;
    for (int number = 0; number < of_.groups.count(); ++number) {
      point_.enter(of_.groups.group(number));
      enter_warps(0, lanes_between(0, point_.group().lanes), 1);
    }
    return enumerated_ ? method::each_request : method::distinct_requests;
  }
  // About the steps of clang to evaluate a request lane by lane; 0 if that is not necessary.
  BANKMODEL_FN long long steps_of_lanes() const {
    return of_.in_a_line ? 0 : 2 * of_.steps_of_an_iteration();
  }

 private:
  BANKMODEL_FN static void enter_any(loop_splitter& of, const place& where, std::uint64_t active,
                                     std::uint64_t times) {
    static_cast<splitter&>(of).enter_wrapper(where, active, times);
  }
  BANKMODEL_FN void enter_wrapper(const place& where, std::uint64_t active, std::uint64_t times) {
    if (where.level == access_.depth) return requests_.add(active, times);
    if (where.level < 0) return enter_warps(where.level + 3, active, times);
    const wrapper& w = access_.wrappers[where.level];
    if (w.kind == wrapper_kind::filter) return enter_filter(where, active, times);
    if (where.between_bounds) return pass_bounds(where, active, times);
    // Only loops with linear bounds stay intervals: a loop that moves other bounds is enumerated.
    const auto moved = point_.that_move(of_.read_by(where.level).used);
    if (moved.count > 0 && (w.kind != wrapper_kind::range || moved.count > 1 ||
                            !bounds_move_evenly(where.level, moved.fewest)))
      return enumerate(moved.fewest, where, active, times);
    if (w.kind == wrapper_kind::values) return enter_values(where.level, active, times);
    if (is_in_lockstep(w)) return enter_lockstep(where, moved.fewest, active, times);
    if (w.kind == wrapper_kind::range) return enter_range(where, moved.fewest, active, times);
    enter_powers(where.level, active, times);
  }

  // The warps of the group along x, y and z, from direction `way` on: loops like others, but not
  // counted as iterations.
  BANKMODEL_FN void enter_warps(int way, std::uint64_t active, std::uint64_t times) {
    for (; way < 3; ++way) {
      const warp_loop& loop = point_.group().along[way];
      if (loop.trips == 1) continue;
      const auto thread = static_cast<variable>(way);  // tx, ty, tz are the first variables
      const unsigned moves =
          variable_bit(thread) | variable_bit(variable::tid) | variable_bit(variable::warp);
      if (!of_.matters(moves, -1)) {
        times *= static_cast<std::uint64_t>(loop.trips);
        continue;
      }
      interval one = interval_of(thread, moves, loop.trips, -1);
      one.of_warps = true;
      point_.add_factor(thread, point_.count(), loop.by);
      point_.add_factor(variable::tid, point_.count(),
                        static_cast<long long>(loop.warps) * point_.lanes());
      point_.add_factor(variable::warp, point_.count(), loop.warps);
      return enter_interval(way - 3, {way - 2}, one, active, times);
    }
    enter({0}, active, times);
  }

  // ---- loops in lockstep ----

  // True if the loop `which` moves the bounds of the loop at `level`, and not its step, by the same
  // amount at each position and in each lane.
  BANKMODEL_FN bool bounds_move_evenly(int level, int which) const {
    const unsigned moves = point_[which].moves;
    const wrapper& w = access_.wrappers[level];
    const bool in_lockstep = is_in_lockstep(w);
    if ((of_.used_by(w.step) & moves) != 0) return false;
    if (in_lockstep && ((of_.used_by(w.step) & of_.lanes) != 0 || variable_is_nonlinear(level) ||
                        !span_of(w).known))
      return false;
    if ((of_.read_by(level).nonlinear & moves) == 0) return true;
    long long by[variables];
    point_.read_moves(which, by);
    const movement first =
        movement_of(access_.nodes + w.first.first, w.first.size, by, of_.ranges.all);
    const movement last =
        movement_of(access_.nodes + w.last.first, w.last.size, by, of_.ranges.all);
    return first.period == 1 && last.period == 1 && !(in_lockstep && (first.scaled || last.scaled));
  }
  // The largest and the smallest distance between the two bounds of a lane, in the direction of the
  // step.
  struct lockstep {
    bool known = false;
    long long most = 0, least = 0;
  };
  // Of all lanes of the block at any position of any loop. Requires: all lanes have the same step.
  BANKMODEL_FN lockstep span_of(const wrapper& w) const {
    const value_range first = of_.ranges.of(w.first), last = of_.ranges.of(w.last),
                      step = of_.ranges.of(w.step);
    if (!first.known() || !last.known() || !step.known() || (step.lowest <= 0 && step.highest >= 0))
      return {};
    if (step.lowest > 0) return {true, last.highest - first.lowest, last.lowest - first.highest};
    return {true, first.highest - last.lowest, first.lowest - last.highest};
  }
  // Of these lanes, if no loop moves the bounds; not known if values are so large that sums could
  // overflow.
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
      if (first > range_limit || first < -range_limit || last > range_limit || last < -range_limit)
        return {};
      const long long apart = upwards ? last - first : first - last;
      if (lane == low || apart > result.most) result.most = apart;
      if (lane == low || apart < result.least) result.least = apart;
    }
    return result;
  }

  // A loop with the trips of the longest lane, and inside it a filter, which only the lanes pass
  // that have not reached their last value.
  BANKMODEL_FN void enter_lockstep(const place& where, int outer, std::uint64_t active,
                                   std::uint64_t times) {
    const wrapper& w = access_.wrappers[where.level];
    const int lane = trailing_zeros(active);
    const unsigned bit = variable_bit(w.variable);
    lockstep loop;
    long long step = 0;
    if (w.kind == wrapper_kind::range && (of_.used_by(w.step) & of_.lanes) == 0) {
      step = point_.value(w.step, lane);
      if (step == 0) rule::step_must_not_be_zero();
      loop = outer >= 0 ? span_of(w) : span_of(w, active, step > 0);
    }
    if (!loop.known || step == int64_min) return walk_in_lockstep(where.level, active, times);
    if (loop.most <= 0) return;
    const long long pace = step > 0 ? step : -step;
    const interval one = interval_of(w.variable, bit, (loop.most - 1) / pace + 1, -1);
    const bool together =
        loop.least > 0 && (loop.least - 1) / pace + 1 == one.trips;  // all lanes finish at once
    set_variable(w, lane, step, outer);
    const unsigned moves = outer < 0 ? 0 : point_[outer].moves;
    if ((of_.used_by(w.first) & moves) != 0) point_[outer].moves |= bit;
    enter_interval(where.level, together ? place{where.level + 1} : place{where.level, {}, true},
                   one, active, times);
    if (outer >= 0) point_[outer].moves = moves;
  }
  // That filter.
  BANKMODEL_FN void pass_bounds(const place& where, std::uint64_t active, std::uint64_t times) {
    const wrapper& w = access_.wrappers[where.level];
    const bool upwards = point_.value(w.step, trailing_zeros(active)) > 0;
    const node variable_itself{operation::variable, static_cast<long long>(w.variable)};
    const program value{&variable_itself, 1}, last{access_.nodes + w.last.first, w.last.size};
    split_condition only;
    only.all.set({upwards ? value : last, upwards ? last : value, operation::less, {}}, of_.lanes,
                 of_.fixed);
    only.used = variable_bit(w.variable) | of_.used_by(w.last);
    pass(only, where, {where.level + 1}, active, times);
  }

  // Enumerates a loop whose step differs between lanes, a loop over powers or values, or one whose
  // bounds are not known in advance.
  BANKMODEL_FN void walk_in_lockstep(int level, std::uint64_t active, std::uint64_t times) {
    const wrapper& w = access_.wrappers[level];
    long long value[max_lanes], step[max_lanes], trips[max_lanes], most = 0;
    for (std::uint64_t rest = active; rest != 0; rest &= rest - 1) {
      const int lane = trailing_zeros(rest);
      value[lane] = point_.value(w.first, lane);
      step[lane] = point_.value(w.step, lane);
      trips[lane] = trips_of(w.kind, value[lane], point_.value(w.last, lane), step[lane]);
      if (trips[lane] > most) most = trips[lane];
    }
    spend_iterations(most, w.kind == wrapper_kind::range);
    set_variable(w, trailing_zeros(active), 0, -1);
    linear_form now = point_.form(w.variable);
    point_.push(interval_of(w.variable, variable_bit(w.variable), 1, -1));
    for (long long trip = 0; trip < most; ++trip) {
      std::uint64_t running = 0;
      for (std::uint64_t rest = active; rest != 0; rest &= rest - 1) {
        const int lane = trailing_zeros(rest);
        if (trip >= trips[lane]) continue;
        running |= rest & (0 - rest);
        if (trip > 0) value[lane] = next(w.kind, value[lane], step[lane]);
      }
      point_.set(w.variable, now);
      if (is_uneven(w))
        point_.set_uneven(w.variable, {}, value);
      else
        now.constant += static_cast<std::uint64_t>(step[trailing_zeros(active)]);
      enter({level + 1}, running, times);
    }
    point_.pop();
  }

  requests requests_;
};

}  // namespace bankmodel::detail

#endif
