// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_SPLIT_HPP
#define BANKMODEL_COUNT_DETAIL_SPLIT_HPP

#include <bankmodel/count/detail/cuts.hpp>
#include <bankmodel/count/detail/requests.hpp>
#include <bankmodel/count/detail/trips.hpp>

// The second step of counting: from loops, comparisons and linear forms (see lower.hpp) to request
// classes.
//
// Each loop has one of three fates:
//   linear      it stays an interval of positions; if nothing inside reads it, it only multiplies
//   periodic    something inside reads it through / % & | ^ or >>, with a period: one period is
//   enumerated, and of each
//               position in it every period-th one is an interval, in which all is linear
//   enumerated  nothing better is known: its positions one by one (method::each_request); powers
//   and lists, which are few
// A comparison that one loop moves cuts its interval into pieces, each with the lanes that pass
// there; one that two loops move cuts pieces that shift with the other. Trips that an outer loop
// moves are summed in closed form.
//
// Example: for (i = 0; i < 1000; ++i) if (tx < i) a[2 * tx] by one warp of 32 lanes.
//   x - q < 0 holds for lane x from position x + 1 on: pieces [1, 2), [2, 3), .. [31, 32), [32,
//   1000) with 1, 2, .. 31, 32 lanes. Nothing else reads i, so they are 32 request classes with
//   times 1, 1, .. 1, 968.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void iterations_must_be_few_enough_to_count(long long limit) {
  detail::fail(__func__,
               "more than % iterations of all warps would have to be walked; shorten the loops "
               "that move the access",
               limit);
}
}  // namespace rule

// How many iterations one total() walks at most at run time; loops are walked only where total.hpp
// says. More is refused before it begins.
constexpr long long most_iterations = 1ll << 22;

// The same in a constant expression, as steps of the compiler, so that this rule speaks and not the
// compiler's own limit (clang's is 1 048 576): some hundred iterations where lanes are looked at
// one by one, thousands where not.
constexpr long long most_steps_in_a_constant_expression = 800'000;

namespace detail {

// One loop around another, as a number of times; 0 for too many to count, which is refused only
// where a request runs so often. Required: `more` is not 0.
BANKMODEL_FN std::uint64_t times_over(std::uint64_t times, std::uint64_t more) {
  return times > ~std::uint64_t{0} / more ? 0 : times * more;
}

class splitter {
 public:
  BANKMODEL_FN splitter(const machine& m, const block_dim& block, const access_view& access,
                        const block_index& at, request_taker& to)
      : access_(access),
        of_(m, block, at, access_, to.residues()),
        point_(of_, m, block, at),
        cutter_(of_, point_),
        requests_(of_, point_, to) {}

  // Hands all requests of the block to the taker; returns how they were found.
  BANKMODEL_FN method run() {
    limit_ = __builtin_is_constant_evaluated()
                 ? most_steps_in_a_constant_expression / of_.steps_of_an_iteration()
                 : most_iterations;
    walked_ = !of_.few_residues;
    for (int number = 0; number < of_.groups.count(); ++number) {
      point_.enter(of_.groups.group(number));
      enter_warps(0, lanes_between(0, point_.group().lanes), 1);
    }
    return walked_ ? method::each_request : method::distinct_requests;
  }
  // About what clang counts for looking at the lanes of a request one by one; 0 if that is not
  // needed.
  BANKMODEL_FN long long steps_of_lanes() const {
    return of_.in_a_line ? 0 : 2 * of_.steps_of_an_iteration();
  }

 private:
  // A wrapper, or -3, -2, -1 for the warps along x, y, z; and which part of it is left.
  struct place {
    int level;
    slice condition = {};         // of a filter: what is left of it
    bool between_bounds = false;  // of a loop in lockstep: which lanes are still in it
  };

  BANKMODEL_FN void walk_iterations(long long trips, bool for_want_of_a_better_way) {
    if (trips > limit_ - iterations_) rule::iterations_must_be_few_enough_to_count(limit_);
    iterations_ += trips;
    walked_ = walked_ || for_want_of_a_better_way;
  }

  BANKMODEL_FN void enter(const place& where, std::uint64_t active, std::uint64_t times) {
    if (where.level == access_.depth) return requests_.add(active, times);
    if (where.level < 0) return enter_warps(where.level + 3, active, times);
    const wrapper& w = access_.wrappers[where.level];
    if (w.kind == wrapper_kind::filter) return enter_filter(where, active, times);
    const bool in_lockstep = is_in_lockstep(w);
    if (where.between_bounds) return pass_bounds(where, active, times);
    // Only loops with linear bounds stay intervals: what moves the others is held still, one
    // position after the other.
    const auto moved = point_.that_move(of_.read_by(where.level).used);
    if (moved.count > 0 && (w.kind != wrapper_kind::range || moved.count > 1 ||
                            !bounds_move_evenly(where.level, moved.fewest)))
      return hold_still(moved.fewest, where, active, times);
    if (w.kind == wrapper_kind::values) return enter_values(where.level, active, times);
    if (in_lockstep) return enter_lockstep(where, moved.fewest, active, times);
    if (w.kind == wrapper_kind::range) return enter_range(where, moved.fewest, active, times);
    enter_powers(where.level, active, times);
  }

  BANKMODEL_FN bool is_in_lockstep(const wrapper& w) const {
    return (of_.in_lockstep & variable_bit(w.variable)) != 0;
  }

  // ---- intervals ----

  BANKMODEL_FN static interval interval_of(variable which, unsigned moves, long long trips,
                                           int outer) {
    interval one{};
    one.which = which;
    one.moves = moves;
    one.trips = trips;
    one.outer = outer;
    return one;
  }

  // Goes on at `inside` with one more loop, that of the wrapper at `level`. Required: the forms of
  // the variables that it moves are set.
  BANKMODEL_FN void enter_interval(int level, const place& inside, const interval& added,
                                   std::uint64_t active, std::uint64_t times) {
    const int which = point_.count();
    point_.push(added);
    const unsigned bent = added.moves & (of_.bent() | of_.read_inside(level).bent);
    long long period = 1;
    if (bent != 0 && added.trips > 1) {
      long long moves[variables];
      point_.read_moves(which, moves);
      period = of_.few_residues ? of_.period_inside(level, added.moves, moves) : 0;
      const bool for_want_of_a_better_way = period == 0 && !added.of_warps;
      if (period == 0 || period > added.trips) period = added.trips;
      if (period > 1) walk_iterations(period, for_want_of_a_better_way);
    }
    if (period == 1)
      enter(inside, active, times);
    else
      enter_period(inside, which, period, active, times);
    point_.pop();
  }
  // Position `at` of the period: q = at + period * q'.
  BANKMODEL_FN void enter_period(const place& inside, int which, long long period,
                                 std::uint64_t active, std::uint64_t times) {
    const interval whole = point_[which];
    linear_form saved[3];  // of a loop one variable, of warps three
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

  // Goes through the positions of a loop one by one, from `where` on.
  BANKMODEL_FN void hold_still(int which, const place& where, std::uint64_t active,
                               std::uint64_t times) {
    const interval whole = point_[which], saved = point_.tightened(which);
    walk_iterations(saved.trips, !saved.of_warps);
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

  // The warps of the group, from that direction on: loops like others, but that they are not
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

  // ---- loops ----

  // A list: few iterations, one by one.
  BANKMODEL_FN void enter_values(int level, std::uint64_t active, std::uint64_t times) {
    const wrapper& w = access_.wrappers[level];
    walk_iterations(w.first.size, false);
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
    walk_iterations(trips, false);
    for (long long trip = 0; trip < trips; ++trip) {
      if (trip > 0) value = next(w.kind, value, step);
      point_.set(w.variable, value);
      enter({level + 1}, active, times);
    }
  }

  // Whether a loop moves the bounds of the one at `level`, not its step, by the same amount at each
  // position and in each lane.
  BANKMODEL_FN bool bounds_move_evenly(int level, int which) const {
    const unsigned moves = point_[which].moves;
    const wrapper& w = access_.wrappers[level];
    const bool in_lockstep = is_in_lockstep(w);
    if ((of_.used_by(w.step) & moves) != 0) return false;
    if (in_lockstep &&
        ((of_.used_by(w.step) & of_.lanes) != 0 || variable_is_bent(level) || !span_of(w).known))
      return false;
    if ((of_.read_by(level).bent & moves) == 0) return true;
    long long by[variables];
    point_.read_moves(which, by);
    const movement first = movement_of(access_.nodes + w.first.first, w.first.size, by, of_.ranges);
    const movement last = movement_of(access_.nodes + w.last.first, w.last.size, by, of_.ranges);
    return first.period == 1 && last.period == 1 && !(in_lockstep && (first.scaled || last.scaled));
  }
  // Whether something inside the loop at `level` reads its variable in a way that allows no sum of
  // multiples.
  BANKMODEL_FN bool variable_is_bent(int level) const {
    return ((of_.bent() | of_.read_inside(level).bent) &
            variable_bit(access_.wrappers[level].variable)) != 0;
  }

  BANKMODEL_FN bool is_uneven(const wrapper& w) const {
    return (of_.uneven & variable_bit(w.variable)) != 0;
  }

  // Sets a loop's variable to its start + step * position of the loop that is entered next. `outer`
  // moves the start, or -1.
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

  // A loop with the same bounds in all lanes, that `outer` moves evenly, or -1. Where its number of
  // trips varies more than their sum would have to be known, the outer one is held still.
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
    const bool bent = variable_is_bent(where.level);
    if (step == int64_min || (first_by != 0 && bent))
      return hold_still(outer, where, active, times);
    if (by != 0) {
      if (of_.base_matters || bent || saved.varies ||
          point_.that_varies_with(outer) != point_.count())
        return hold_still(outer, where, active, times);
      read_varying_trips(step > 0 ? checked_subtract(last, first) : checked_subtract(first, last),
                         step > 0 ? by : checked_subtract(0, by), step > 0 ? step : -step, one);
    } else if (one.trips == 0) {
      return;
    }
    if (first_by != 0) point_[outer].moves |= one.moves;
    if (point_[outer].trips > 0) enter_loop(where.level, lane, step, one, active, times);
    point_[outer] = saved;
  }
  // A loop of (span + by * p) / pace trips, rounded up, p positions further of its outer loop:
  // which is cut to where the loop has an iteration, and may have none left.
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

  // A loop that nothing inside reads multiplies: its variable stays at its first value.
  BANKMODEL_FN void enter_loop(int level, int lane, long long step, const interval& one,
                               std::uint64_t active, std::uint64_t times) {
    const bool is_read = one.varies || of_.matters(one.moves, level);
    set_variable(access_.wrappers[level], lane, is_read ? step : 0, one.outer);
    if (is_read) return enter_interval(level, {level + 1}, one, active, times);
    enter({level + 1}, active, times_over(times, static_cast<std::uint64_t>(one.trips)));
  }

  // ---- loops in lockstep: bounds that differ from lane to lane ----

  // How far the bounds of a lane lie apart, in the direction of the step.
  struct lockstep {
    bool known = false;
    long long most = 0, least = 0;
  };
  // Of all lanes of the block at any position of any loop. Required: the lanes have one step.
  BANKMODEL_FN lockstep span_of(const wrapper& w) const {
    const value_range first = of_.range_of(w.first, of_.ranges),
                      last = of_.range_of(w.last, of_.ranges),
                      step = of_.range_of(w.step, of_.ranges);
    if (!first.known() || !last.known() || !step.known() || (step.lowest <= 0 && step.highest >= 0))
      return {};
    if (step.lowest > 0) return {true, last.highest - first.lowest, last.lowest - first.highest};
    return {true, first.highest - last.lowest, first.lowest - last.highest};
  }
  // Of those lanes, where no loop moves the bounds; not known if values are so large that sums
  // could overflow.
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

  // A loop of as many iterations as the longest lane has, whichever that is, and a filter inside,
  // for only lanes go on that have not passed their last value.
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
  // The filter inside of it.
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

  // Steps of the lanes' own, powers, or values that cannot be said before: one position after the
  // other.
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
    walk_iterations(most, w.kind == wrapper_kind::range);
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

  // ---- filters ----

  BANKMODEL_FN void enter_filter(const place& where, std::uint64_t active, std::uint64_t times) {
    const slice whole =
        where.condition.size != 0 ? where.condition : access_.wrappers[where.level].first;
    split_condition& read = cutter_.read(where.level, whole);
    const place here{where.level, whole},
        inside{read.rest.size != 0 ? where.level : where.level + 1, read.rest};
    if (read.may_be_taken_apart) return pass(read, here, inside, active, times);
    const auto moved = point_.that_move(read.used);
    if (moved.count != 0) return hold_still(moved.fewest, here, active, times);
    const lane_set lanes(active);
    point_.read_lanes(lanes, read.used);
    const lane_values holds = point_.evaluated(read.condition, lanes);
    std::uint64_t passing = 0;
    for (int index = 0; index < lanes.count; ++index)
      if (holds[lanes.lane[index]] != 0) passing |= std::uint64_t{1} << lanes.lane[index];
    if (passing != 0) enter(inside, passing, times);
  }

  // Goes on `inside` with the lanes that pass; `here` is where the condition stands.
  BANKMODEL_FN void pass(split_condition& of, const place& here, const place& inside,
                         std::uint64_t active, std::uint64_t times) {
    const auto moved = point_.that_move(of.used);
    if (moved.count == 0) {
      const std::uint64_t passing = cutter_.lanes_that_pass(of, active);
      if (passing != 0) enter(inside, passing, times);
    } else if (!(moved.count == 1 && cut(of, moved.most, inside, active, times)) &&
               !(moved.count == 2 &&
                 cut_by_two(of, moved.most, moved.fewest, inside, active, times))) {
      hold_still(moved.fewest, here, active, times);
    }
  }

  // A filter that one loop moves: its interval falls into pieces.
  BANKMODEL_FN bool cut(split_condition& of, int which, const place& inside, std::uint64_t active,
                        std::uint64_t times) {
    pieces by_lanes;
    if (!cutter_.cut(of, which, active, by_lanes)) return false;
    if (__builtin_is_constant_evaluated())
      walk_iterations(by_lanes.count / 2, false);  // so much they cost the compiler
    const interval whole = point_[which], saved = point_.tightened(which);
    const bool last_reader = nothing_reads(saved.moves, inside) && !saved.varies &&
                             point_.that_varies_with(which) == point_.count();
    const bool alike = last_reader && subscripts_may_be_read_anywhere(saved.moves);
    for (int piece = 0; piece < by_lanes.count; ++piece) {
      const long long begin = piece == 0 || by_lanes.begin[piece] < 0 ? 0 : by_lanes.begin[piece];
      const bool last = piece == by_lanes.count - 1 || by_lanes.begin[piece + 1] > saved.trips;
      const long long trips = (last ? saved.trips : by_lanes.begin[piece + 1]) - begin;
      if (trips <= 0 || by_lanes.lanes[piece] == 0) continue;
      if (!alike) point_[which].at = saved.at + begin;
      point_[which].trips = last_reader ? 1 : trips;
      enter(inside, by_lanes.lanes[piece],
            last_reader ? times_over(times, static_cast<std::uint64_t>(trips)) : times);
    }
    point_[which] = whole;
    return true;
  }

  // A filter that two loops move, where a step of one shifts the pieces of the other by whole
  // positions.
  BANKMODEL_FN bool cut_by_two(split_condition& of, int which, int other, const place& inside,
                               std::uint64_t active, std::uint64_t times) {
    const interval saved = point_[which], saved_other = point_[other];
    for (int at = 0; at < point_.count(); ++at)
      if (point_[at].outer == which || point_[at].outer == other) return false;
    if (saved.outer >= 0 || saved_other.outer >= 0) return false;
    long long shift = 0;
    pieces by_lanes;
    if (!cutter_.read_shift(of, which, other, active, shift) ||
        !cutter_.cut(of, which, active, by_lanes))
      return false;
    const bool last_reader = nothing_reads(saved.moves | saved_other.moves, inside);
    if (last_reader)
      enter_pairs(by_lanes, shift, which, other, inside, times);
    else
      enter_shifted(by_lanes, shift, which, other, inside, times);
    point_[which] = saved;
    point_[other] = saved_other;
    return true;
  }
  // Where nothing else reads the two loops: each piece once, for all its pairs of positions.
  BANKMODEL_FN void enter_pairs(const pieces& by_lanes, long long shift, int which, int other,
                                const place& inside, std::uint64_t times) {
    const interval saved = point_[which], saved_other = point_[other];
    const bool alike = subscripts_may_be_read_anywhere(saved.moves | saved_other.moves);
    point_[which].trips = point_[other].trips = 1;
    std::uint64_t before = 0;  // pairs before the piece
    for (int piece = 0; piece < by_lanes.count; ++piece) {
      const bool first = piece == 0, last = piece == by_lanes.count - 1;
      const long long begin = first ? 0 : by_lanes.begin[piece],
                      end = last ? 0 : by_lanes.begin[piece + 1];
      const std::uint64_t behind =
          last ? times_over(static_cast<std::uint64_t>(saved.trips),
                            static_cast<std::uint64_t>(saved_other.trips))
               : moving_trips{end, shift, 1}.sum(0, saved_other.trips, saved.trips);
      const std::uint64_t pairs = behind - before;
      before = behind;
      if (by_lanes.lanes[piece] == 0) continue;
      if (last && behind == 0) rule::counts_must_fit_in_64_bits();
      if (pairs == 0) continue;
      if (!alike) {
        // A pair of the piece: the first position of the other at which it has one.
        const long long missing =
            shift > 0 ? (last ? -1 : -end) : (first ? -1 : begin - saved.trips);
        const long long position = missing < 0 ? 0 : missing / (shift > 0 ? shift : -shift) + 1;
        const long long from = first ? 0 : begin + shift * position;
        point_[other].at = saved_other.at + position;
        point_[which].at = saved.at + (from < 0 ? 0 : from);
      }
      enter(inside, by_lanes.lanes[piece], times_over(times, pairs));
    }
  }
  // The positions of the other one by one, each with the pieces where they are then.
  BANKMODEL_FN void enter_shifted(const pieces& by_lanes, long long shift, int which, int other,
                                  const place& inside, std::uint64_t times) {
    const interval saved = point_[which], saved_other = point_[other];
    walk_iterations(checked_multiply(saved_other.trips, by_lanes.count), !saved_other.of_warps);
    point_[other].trips = 1;
    for (int piece = 0; piece < by_lanes.count; ++piece) {
      if (by_lanes.lanes[piece] == 0) continue;
      const bool first = piece == 0, last = piece == by_lanes.count - 1;
      for (long long position = 0; position < saved_other.trips; ++position) {
        const long long from = first ? 0 : checked_add(by_lanes.begin[piece], shift * position);
        const long long to =
            last ? saved.trips : checked_add(by_lanes.begin[piece + 1], shift * position);
        const long long at = from < 0 ? 0 : from,
                        trips = (to > saved.trips ? saved.trips : to) - at;
        if (trips <= 0) continue;
        point_[other].at = saved_other.at + position;
        point_[which].at = saved.at + at;
        point_[which].trips = trips;
        enter(inside, by_lanes.lanes[piece], times);
      }
    }
  }

  // Whether the subscripts, where nothing reads these variables any more, give the same and no
  // error where no lane is active.
  BANKMODEL_FN bool subscripts_may_be_read_anywhere(unsigned moves) const {
    return (of_.subscripts.used & moves) == 0 || of_.may_be_read_anywhere();
  }
  // Whether from `inside` on it makes no difference how far these variables have moved.
  BANKMODEL_FN bool nothing_reads(unsigned moves, const place& inside) const {
    if ((moves & of_.used_by(inside.condition)) != 0) return false;
    return !of_.matters(moves, inside.condition.size != 0 ? inside.level : inside.level - 1);
  }

  const access_view access_;
  lowered of_;
  point point_;
  cutter cutter_;
  requests requests_;
  long long limit_ = 0, iterations_ = 0;
  bool walked_ = false;
};

}  // namespace detail
}  // namespace bankmodel

#endif
