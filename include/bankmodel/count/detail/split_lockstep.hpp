// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_SPLIT_LOCKSTEP_HPP
#define BANKMODEL_COUNT_DETAIL_SPLIT_LOCKSTEP_HPP

#include <bankmodel/count/detail/split_filters.hpp>
#include <bankmodel/count/detail/trips.hpp>

// Loops in lockstep, whose bounds or steps differ from lane to lane: a loop with the trips of the
// longest lane, and a filter.
namespace bankmodel::detail {

class lockstep_splitter {
 public:
  using place = walk::place;

  BANKMODEL_FN lockstep_splitter(const lowered& of, point& at, walk& on, filter_splitter& filters)
      : of_(of), point_(at), walk_(on), filters_(filters) {}

  // True if the loop `which` moves the bounds of the loop at `level`, and not its step, by the same
  // amount at each position and in each lane.
  BANKMODEL_FN bool bounds_move_evenly(int level, int which) const {
    const unsigned moves = point_[which].moves;
    const wrapper& w = of_.access.wrappers[level];
    const bool in_lockstep = of_.is_in_lockstep(w);
    if ((of_.used_by(w.step) & moves) != 0) return false;
    if (in_lockstep && ((of_.used_by(w.step) & of_.lanes) != 0 ||
                        of_.variable_is_nonlinear(level) || !span_of(w).known))
      return false;
    if ((of_.read_by(level).nonlinear & moves) == 0) return true;
    long long by[variables];
    point_.read_moves(which, by);
    const movement first =
        movement_of(of_.access.nodes + w.first.first, w.first.size, by, of_.ranges.all);
    const movement last =
        movement_of(of_.access.nodes + w.last.first, w.last.size, by, of_.ranges.all);
    return first.period == 1 && last.period == 1 && !(in_lockstep && (first.scaled || last.scaled));
  }
  // A loop with the trips of the longest lane, and inside it a filter, which only the lanes pass
  // that have not reached their last value.
  BANKMODEL_FN void enter(const place& where, int outer, std::uint64_t active,
                          std::uint64_t times) {
    const wrapper& w = of_.access.wrappers[where.level];
    const int lane = trailing_zeros(active);
    const unsigned bit = variable_bit(w.variable);
    walk_.spend(20 * point_.lanes() * (w.first.size + w.last.size));
    lockstep loop;
    long long step = 0;
    if (same(w.kind, wrapper_kind::range) && (of_.used_by(w.step) & of_.lanes) == 0) {
      step = point_.value(w.step, lane);
      if (step == 0) rule::step_must_not_be_zero();
      loop = outer >= 0 ? span_of(w) : span_of(w, active, step > 0);
    }
    if (!loop.known || step == int64_min) return walk_in_lockstep(where.level, active, times);
    if (loop.most <= 0) return;
    const long long pace = step > 0 ? step : -step;
    const interval one = walk::interval_of(w.variable, bit, (loop.most - 1) / pace + 1, -1);
    const bool together =
        loop.least > 0 && (loop.least - 1) / pace + 1 == one.trips;  // all lanes finish at once
    point_.set_loop(w, lane, step, outer);
    const unsigned moves = outer < 0 ? 0 : point_[outer].moves;
    if ((of_.used_by(w.first) & moves) != 0) point_[outer].moves |= bit;
    walk_.enter_interval(where.level,
                         together ? place{where.level + 1} : place{where.level, {}, true}, one,
                         active, times);
    if (outer >= 0) point_[outer].moves = moves;
  }
  // Enters the filter in a loop in lockstep.
  BANKMODEL_FN void pass_bounds(const place& where, std::uint64_t active, std::uint64_t times) {
    const wrapper& w = of_.access.wrappers[where.level];
    const bool upwards = point_.value(w.step, trailing_zeros(active)) > 0;
    const node variable_itself{operation::variable, static_cast<long long>(w.variable)};
    const program value{&variable_itself, 1}, last{of_.access.nodes + w.last.first, w.last.size};
    split_condition only;
    only.all.set({upwards ? value : last, upwards ? last : value, operation::less, {}}, of_.lanes,
                 of_.fixed);
    only.used = variable_bit(w.variable) | of_.used_by(w.last);
    filters_.pass(only, where, {where.level + 1}, active, times);
  }

 private:
  // The largest and the smallest distance between the two bounds of a lane, in the direction of the
  // step.
  struct lockstep {
    bool known = false;
    long long most = 0, least = 0;
  };
  // The distances of all lanes at any position of any loop. Requires: all lanes have the same step.
  BANKMODEL_FN lockstep span_of(const wrapper& w) const {
    const value_range first = of_.ranges.of(w.first), last = of_.ranges.of(w.last),
                      step = of_.ranges.of(w.step);
    if (!first.known() || !last.known() || !step.known() || (step.lowest <= 0 && step.highest >= 0))
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
      if (first > range_limit || first < -range_limit || last > range_limit || last < -range_limit)
        return {};
      const long long apart = upwards ? last - first : first - last;
      if (lane == low || apart > result.most) result.most = apart;
      if (lane == low || apart < result.least) result.least = apart;
    }
    return result;
  }

  // Enumerates a loop whose step differs between lanes, a loop over powers or values, or one whose
  // bounds are not known in advance.
  BANKMODEL_FN void walk_in_lockstep(int level, std::uint64_t active, std::uint64_t times) {
    const wrapper& w = of_.access.wrappers[level];
    long long value[max_lanes], step[max_lanes], trips[max_lanes], most = 0;
    for (std::uint64_t rest = active; rest != 0; rest &= rest - 1) {
      const int lane = trailing_zeros(rest);
      value[lane] = point_.value(w.first, lane);
      step[lane] = point_.value(w.step, lane);
      trips[lane] = trips_of(w.kind, value[lane], point_.value(w.last, lane), step[lane]);
      if (trips[lane] > most) most = trips[lane];
    }
    if (!walk_.spend_iterations(most, same(w.kind, wrapper_kind::range))) return;
    point_.set_loop(w, trailing_zeros(active), 0, -1);
    linear_form now = point_.form(w.variable);
    point_.push(walk::interval_of(w.variable, variable_bit(w.variable), 1, -1));
    for (long long trip = 0; trip < most; ++trip) {
      std::uint64_t running = 0;
      walk_.spend(12 * point_.lanes());
      for (std::uint64_t rest = active; rest != 0; rest &= rest - 1) {
        const int lane = trailing_zeros(rest);
        if (trip >= trips[lane]) continue;
        running |= rest & (0 - rest);
        if (trip > 0) value[lane] = next(w.kind, value[lane], step[lane]);
      }
      point_.set(w.variable, now);
      point_[point_.count() - 1].skipped = trip;
      if (of_.is_uneven(w))
        point_.set_uneven(w.variable, {}, value);
      else
        now.constant += static_cast<std::uint64_t>(step[trailing_zeros(active)]);
      walk_.enter({level + 1}, running, times);
    }
    point_.pop();
  }

  const lowered& of_;
  point& point_;
  walk& walk_;
  filter_splitter& filters_;
};

}  // namespace bankmodel::detail

#endif
