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

  BANKMODEL_FN lockstep_splitter(const lowered& nest, point& state, walk& walker,
                                 filter_splitter& filters)
      : nest_(nest), point_(state), walk_(walker), filters_(filters) {}

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
  BANKMODEL_FN void enter(const place& position, int outer, std::uint64_t active,
                          std::uint64_t times) {
    const wrapper& w = nest_.access.wrappers[position.level];
    const int lane = trailing_zeros(active);
    const unsigned bit = variable_bit(w.variable);
    walk_.spend(20 * point_.lanes() * (w.first.size + w.last.size));
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
    const interval inner = walk::interval_of(w.variable, bit, (loop.longest - 1) / pace + 1, -1);
    const bool equal_trips = loop.shortest > 0 && (loop.shortest - 1) / pace + 1 ==
                                                      inner.trips;  // all lanes finish at once
    point_.set_loop(w, lane, step, outer);
    const unsigned moves = outer < 0 ? 0 : point_[outer].moves;
    if ((nest_.used_by(w.first) & moves) != 0) point_[outer].moves |= bit;
    walk_.enter_interval(position.level,
                         equal_trips ? place{position.level + 1} : place{position.level, {}, true},
                         inner, active, times);
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
    filters_.pass(condition, position, {position.level + 1}, active, times);
  }

 private:
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
    if (!walk_.spend_iterations(longest, same(w.kind, wrapper_kind::range))) return;
    point_.set_loop(w, trailing_zeros(active), 0, -1);
    linear_form form = point_.form(w.variable);
    point_.push(walk::interval_of(w.variable, variable_bit(w.variable), 1, -1));
    for (long long trip = 0; trip < longest; ++trip) {
      std::uint64_t running = 0;
      walk_.spend(12 * point_.lanes());
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
      walk_.enter({level + 1}, running, times);
    }
    point_.pop();
  }

  const lowered& nest_;
  point& point_;
  walk& walk_;
  filter_splitter& filters_;
};

}  // namespace bankmodel::detail

#endif
