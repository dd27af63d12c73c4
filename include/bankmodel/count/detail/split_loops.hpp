// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_SPLIT_LOOPS_HPP
#define BANKMODEL_COUNT_DETAIL_SPLIT_LOOPS_HPP

#include <bankmodel/count/detail/point.hpp>
#include <bankmodel/count/detail/trips.hpp>

// Loops whose bounds are the same in all lanes, and the fates of every loop: linear, periodic or
// enumerated.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void iterations_must_be_few_enough_to_count(long long limit) {
  detail::fail(__func__,
               "counting would enumerate more than % iterations of all warps; shorten the loops "
               "that the subscripts depend on",
               limit);
}
}  // namespace rule

// The most iterations that one total() enumerates at run time (total.hpp says which loops are
// enumerated). More is an error before the enumeration begins.
constexpr long long most_iterations = 1ll << 22;

// The same in a constant expression, as steps of the compiler, so that this rule is reported and
// not the compiler's own limit (1 048 576 in clang): some hundred iterations if each lane is
// evaluated, thousands if not.
constexpr long long most_steps_in_a_constant_expression = 800'000;

namespace detail {

// times * more; 0 if that does not fit in 64 bits, which is an error only if a request is made so
// often. Requires: `more` is not 0.
BANKMODEL_FN std::uint64_t times_over(std::uint64_t times, std::uint64_t more) {
  return times > ~std::uint64_t{0} / more ? 0 : times * more;
}

class loop_splitter {
 protected:
  // A wrapper, or -3, -2, -1 for the warps along x, y, z; and which part of it remains.
  struct place {
    int level;
    slice condition = {};         // of a filter: its remaining conditions
    bool between_bounds = false;  // of a loop in lockstep: the comparison with its last value
  };
  // Counts everything inside `where` for these lanes, `times` times. Given by the class that knows
  // all wrappers.
  using continuation = void (*)(loop_splitter&, const place& where, std::uint64_t active,
                                std::uint64_t times);

  BANKMODEL_FN loop_splitter(const machine& m, const block_dim& block, const access_view& access,
                             const block_index& at, int residues, continuation go_on)
      : access_(access),
        of_(m, block, at, access_, residues),
        point_(of_, m, block, at),
        go_on_(go_on) {}

  BANKMODEL_FN void enter(const place& where, std::uint64_t active, std::uint64_t times) {
    go_on_(*this, where, active, times);
  }

  // Error: too many in all.
  BANKMODEL_FN void spend_iterations(long long trips, bool no_other_way) {
    if (trips > limit_ - iterations_) rule::iterations_must_be_few_enough_to_count(limit_);
    iterations_ += trips;
    enumerated_ = enumerated_ || no_other_way;
  }

  // ---- loops that stay intervals ----

  BANKMODEL_FN static interval interval_of(variable which, unsigned moves, long long trips,
                                           int outer) {
    interval one{};
    one.which = which;
    one.moves = moves;
    one.trips = trips;
    one.outer = outer;
    return one;
  }

  // Continues at `inside` with one more loop, the one of the wrapper at `level`.
  // Requires: the forms of the variables that it moves are set.
  BANKMODEL_FN void enter_interval(int level, const place& inside, const interval& added,
                                   std::uint64_t active, std::uint64_t times) {
    const int which = point_.count();
    point_.push(added);
    const unsigned nonlinear = added.moves & (of_.nonlinear() | of_.read_inside(level).nonlinear);
    long long period = 1;
    if (nonlinear != 0 && added.trips > 1) {
      long long moves[variables];
      point_.read_moves(which, moves);
      period = of_.few_residues ? of_.period_inside(level, added.moves, moves) : 0;
      const bool no_other_way = period == 0 && !added.of_warps;
      if (period == 0 || period > added.trips) period = added.trips;
      if (period > 1) spend_iterations(period, no_other_way);
    }
    if (period == 1)
      enter(inside, active, times);
    else
      enter_period(inside, which, period, active, times);
    point_.pop();
  }
  // Enumerates one period: position `at` of it stands for q = at + period * q'.
  BANKMODEL_FN void enter_period(const place& inside, int which, long long period,
                                 std::uint64_t active, std::uint64_t times) {
    const interval whole = point_[which];
    linear_form saved[3];  // a loop moves one variable, warps move three
    const int dimension = point_.dimension(which);
    for (long long at = 0; at < period; ++at) {
      point_[which].trips = (whole.trips - at - 1) / period + 1;
      int number = 0;
      for (unsigned rest = whole.moves & of_.used; rest != 0; rest &= rest - 1, ++number) {
        const auto variable = static_cast<bankmodel::variable>(trailing_zeros(rest));
        if (at == 0) saved[number] = point_.form(variable);
        linear_form now = saved[number];
        const std::uint64_t by = now.of(dimension);
        now.constant += by * static_cast<std::uint64_t>(at);
        now.set(dimension, by * static_cast<std::uint64_t>(period));
        point_.set(variable, now);
      }
      enter(inside, active, times);
    }
    int number = 0;
    for (unsigned rest = whole.moves & of_.used; rest != 0; rest &= rest - 1)
      point_.set(static_cast<variable>(trailing_zeros(rest)), saved[number++]);
  }

  // Enumerates the positions of one loop, and continues at `where` for each.
  BANKMODEL_FN void enumerate(int which, const place& where, std::uint64_t active,
                              std::uint64_t times) {
    const interval whole = point_[which], saved = point_.tightened(which);
    spend_iterations(saved.trips, !saved.of_warps);
    const int inner = point_.that_varies_with(which);
    const bool has_inner = inner < point_.count();
    interval saved_inner{};
    if (has_inner) saved_inner = point_[inner];
    for (long long at = saved.at; at < saved.at + saved.trips; ++at) {
      point_[which].at = at;
      point_[which].trips = 1;
      if (has_inner) {
        const long long end = saved_inner.at + saved_inner.trips,
                        trips = saved_inner.trips_at.at(at);
        point_[inner].varies = false;
        point_[inner].trips = (trips < end ? trips : end) - saved_inner.at;
        if (point_[inner].trips < 1) continue;
      }
      enter(where, active, times);
    }
    point_[which] = whole;
    if (has_inner) point_[inner] = saved_inner;
  }

  // ---- loops with the same bounds in all lanes ----

  BANKMODEL_FN bool is_in_lockstep(const wrapper& w) const {
    return (of_.in_lockstep & variable_bit(w.variable)) != 0;
  }

  // A list has few iterations.
  BANKMODEL_FN void enter_values(int level, std::uint64_t active, std::uint64_t times) {
    const wrapper& w = access_.wrappers[level];
    spend_iterations(w.first.size, false);
    for (int at = 0; at < w.first.size; ++at) {
      point_.set(w.variable, access_.nodes[w.first.first + at].value);
      enter({level + 1}, active, times);
    }
  }
  BANKMODEL_FN void enter_powers(int level, std::uint64_t active, std::uint64_t times) {
    const wrapper& w = access_.wrappers[level];
    const int lane = trailing_zeros(active);
    long long value = point_.value(w.first, lane);
    const long long step = point_.value(w.step, lane),
                    trips = trips_of(w.kind, value, point_.value(w.last, lane), step);
    spend_iterations(trips, false);
    for (long long trip = 0; trip < trips; ++trip) {
      if (trip > 0) value = next(w.kind, value, step);
      point_.set(w.variable, value);
      enter({level + 1}, active, times);
    }
  }

  // True if something inside the loop at `level` is not linear in its variable.
  BANKMODEL_FN bool variable_is_nonlinear(int level) const {
    return ((of_.nonlinear() | of_.read_inside(level).nonlinear) &
            variable_bit(access_.wrappers[level].variable)) != 0;
  }

  BANKMODEL_FN bool is_uneven(const wrapper& w) const {
    return (of_.uneven & variable_bit(w.variable)) != 0;
  }

  // Sets a loop's variable to start + step * position of the loop that is entered next. `outer` is
  // the loop that moves the start, or -1.
  BANKMODEL_FN void set_variable(const wrapper& w, int lane, long long step, int outer) {
    linear_form form;
    form.set_constant(0);
    form.lanes_known = form.known = !is_uneven(w);
    if (is_uneven(w))
      point_.set_uneven(w.variable, w.first, nullptr);
    else
      point_.read_here(w.first, lane, outer, form);
    if (step != 0) form.set(point_.dimension(point_.count()), static_cast<std::uint64_t>(step));
    point_.set(w.variable, form);
  }

  // A loop with the same bounds in all lanes, which `outer` moves evenly (-1: no loop moves them).
  // If its number of trips varies, and more than the sum of the trips has to be known, the outer
  // loop is enumerated.
  BANKMODEL_FN void enter_range(const place& where, int outer, std::uint64_t active,
                                std::uint64_t times) {
    const wrapper& w = access_.wrappers[where.level];
    const int lane = trailing_zeros(active);
    const long long first = point_.value(w.first, lane), last = point_.value(w.last, lane),
                    step = point_.value(w.step, lane);
    interval one = interval_of(w.variable, variable_bit(w.variable),
                               trips_of(w.kind, first, last, step), outer);
    if (outer < 0) {
      if (one.trips != 0) enter_loop(where.level, lane, step, one, active, times);
      return;
    }
    const interval saved = point_[outer];
    const long long first_by = checked_subtract(point_.value(w.first, lane, outer), first);
    const long long by =
        checked_subtract(checked_subtract(point_.value(w.last, lane, outer), last), first_by);
    const bool nonlinear = variable_is_nonlinear(where.level);
    if (step == int64_min || (first_by != 0 && nonlinear))
      return enumerate(outer, where, active, times);
    if (by != 0) {
      if (of_.base_matters || nonlinear || saved.varies ||
          point_.that_varies_with(outer) != point_.count())
        return enumerate(outer, where, active, times);
      read_varying_trips(step > 0 ? checked_subtract(last, first) : checked_subtract(first, last),
                         step > 0 ? by : checked_subtract(0, by), step > 0 ? step : -step, one);
    } else if (one.trips == 0) {
      return;
    }
    if (first_by != 0) point_[outer].moves |= one.moves;
    if (point_[outer].trips > 0) enter_loop(where.level, lane, step, one, active, times);
    point_[outer] = saved;
  }
  // A loop with (span + by * p) / pace trips, rounded up, after p more positions of its outer loop.
  // The outer loop is cut to the positions with at least one trip, possibly none.
  BANKMODEL_FN void read_varying_trips(long long span, long long by, long long pace,
                                       interval& one) {
    interval& o = point_[one.outer];
    one.varies = true;
    one.trips_at = {checked_subtract(checked_add(span, pace - 1), checked_multiply(by, o.at)), by,
                    pace};
    const crossing begins =
        crossing_of(operation::less, checked_subtract(0, span), checked_subtract(0, by));
    const long long border = begins.first < 0 ? 0 : begins.first < o.trips ? begins.first : o.trips;
    if (!begins.before) o.at += border;
    o.trips = begins.before ? border : o.trips - border;
    if (o.trips > 0) one.trips = one.trips_at.at(by > 0 ? o.at + o.trips - 1 : o.at);
  }

  // A loop that nothing inside depends on multiplies: its variable keeps its first value.
  BANKMODEL_FN void enter_loop(int level, int lane, long long step, const interval& one,
                               std::uint64_t active, std::uint64_t times) {
    const bool is_read = one.varies || of_.matters(one.moves, level);
    set_variable(access_.wrappers[level], lane, is_read ? step : 0, one.outer);
    if (is_read) return enter_interval(level, {level + 1}, one, active, times);
    enter({level + 1}, active, times_over(times, static_cast<std::uint64_t>(one.trips)));
  }

  const access_view access_;
  lowered of_;
  point point_;
  long long limit_ = 0, iterations_ = 0;
  bool enumerated_ = false;  // true if a loop was enumerated because nothing else was possible

 private:
  continuation go_on_;
};

}  // namespace detail
}  // namespace bankmodel

#endif
