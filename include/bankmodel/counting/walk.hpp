// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNTING_WALK_HPP
#define BANKMODEL_COUNTING_WALK_HPP

#include <bankmodel/counting/requests.hpp>
#include <bankmodel/counting/trips.hpp>

// One access of one block: its warps through their loops and filters.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN inline void iterations_must_be_few_enough_to_count(long long limit) {
  detail::fail("iterations_must_be_few_enough_to_count",
               "more than % iterations of all warps would have to be walked; shorten the loops that move the access", limit);
}
}  // namespace rule

// How many iterations one total() walks at most at run time. Only those loops are walked of which nothing better is
// known: see total(). More is refused before it begins.
constexpr long long most_iterations = 1ll << 22;

// The same in a constant expression, as steps of the compiler, so that this rule speaks and not the compiler's own
// limit (clang's is 1 048 576): some hundred iterations where each request is evaluated, thousands where not.
constexpr long long most_steps_in_a_constant_expression = 800'000;

namespace detail {

// A total, and how many requests were evaluated for it.
struct counted_total {
  cost sum;
  std::uint64_t evaluated;
};

// A loop is not walked but kept as a mover, and so are the warps of a group. A filter that reads a mover cuts its
// interval where lanes join or leave, and goes on with each piece and its lanes. What reads movers in a way that has no
// such form holds one of them still: it walks its positions.
class walk {
 public:
  BANKMODEL_FN constexpr walk(const machine& m, const block_dim& block, const access_view& access, const block_index& at)
      : access_(access),
        by_residue_(valid(m), access.array.element_bytes * access.vector, access.way, access.array.element_bytes),
        nest_(m, block, at, access, by_residue_.residues()),
        movers_(m, block, at, nest_),
        cutter_(nest_, movers_),
        requests_(access_, nest_, movers_, by_residue_) {}

  BANKMODEL_FN constexpr counted_total run() {
    limit_ = __builtin_is_constant_evaluated() ? most_steps_in_a_constant_expression / nest_.steps_of_an_iteration() : most_iterations;
    walked_ = !nest_.few_residues;
    for (int number = 0; number < nest_.groups.count(); ++number) {
      movers_.enter(nest_.groups.group(number));
      requests_.change_pattern();
      requests_.change_place();
      enter_warps(0, lanes_between(0, movers_.group().lanes), 1);
    }
    cost sum = by_residue_.sum();
    sum.method = walked_ ? method::each_request : method::distinct_requests;
    return {sum, by_residue_.evaluated()};
  }

 private:
  // A wrapper, or -3, -2, -1 for the warps along x, y, z; and which part of it is left.
  struct place_in_nest {
    int level;
    slice condition = {};           // of a filter: what is left of it
    bool between_bounds = false;    // of a loop in lockstep: which lanes are still in it
  };

  BANKMODEL_FN static constexpr const machine& valid(const machine& m) {
    m.require_valid();
    return m;
  }

  BANKMODEL_FN constexpr void walk_iterations(long long trips, bool for_want_of_a_better_way) {
    if (trips > limit_ - iterations_) rule::iterations_must_be_few_enough_to_count(limit_);
    iterations_ += trips;
    walked_ = walked_ || for_want_of_a_better_way;
  }

  // Whether variables decide how the lanes of a request lie to each other.
  BANKMODEL_FN constexpr bool shape(unsigned moves) const {
    return (moves & (nest_.subscripts.shaping | nest_.subscripts.bent_in_lanes)) != 0;
  }

  BANKMODEL_FN constexpr void enter(const place_in_nest& where, std::uint64_t active, std::uint64_t times) {
    if (where.level == access_.depth) {
      requests_.add(active, times);
      return;
    }
    if (where.level < 0) {
      enter_warps(where.level + 3, active, times);
      return;
    }
    const wrapper& w = access_.wrappers[where.level];
    if (w.kind == wrapper_kind::filter)
      enter_filter(where, active, times);
    else if ((nest_.in_lockstep & variable_bit(w.variable)) != 0)
      enter_lockstep(where, active, times);
    else if (w.kind == wrapper_kind::range)
      enter_range(where, active, times);
    else
      enter_list(where, active, times);
  }

  // ---- movers ----

  // Goes on at `inside` with one more mover, that of the wrapper at `level`.
  BANKMODEL_FN constexpr void enter_mover(int level, const place_in_nest& inside, const mover& added, std::uint64_t active,
                                          std::uint64_t times) {
    const int which = movers_.count();
    mover& m = movers_.push(added);
    const unsigned bent = added.trips == 1 ? 0 : nest_.bent() | nest_.read_inside(level).bent;
    const bool shapes = shape(m.moves);
    long long classes = 1;
    if ((m.moves & bent) != 0) {
      // Every so many positions everything moves evenly; or the positions are walked.
      long long moves[variables];
      movers_.read_moves(which, moves);
      const long long period = nest_.few_residues ? nest_.period_inside(level, m.moves, moves) : 0;
      classes = period == 0 || period > added.trips ? added.trips : period;
      if (classes > 1) walk_iterations(classes, period == 0 && m.way < 0);
    }
    for (long long at = 0; at < classes; ++at) {
      m = added;
      if (classes > 1) {
        m.first = added.first + added.step * at;
        m.step = classes == added.trips ? added.step : added.step * classes;
        m.trips = (added.trips - at - 1) / classes + 1;
      }
      m.all = m.trips;
      if (shapes) requests_.change_pattern();
      requests_.change_place();
      movers_.place(which);
      enter(inside, active, times);
    }
    movers_.pop();
  }

  // Goes through the positions of a mover one by one, from `where` on.
  BANKMODEL_FN constexpr void hold_still(int which, const place_in_nest& where, std::uint64_t active, std::uint64_t times) {
    movers_.tighten(movers_[which]);
    const mover saved = movers_[which];
    walk_iterations(saved.trips, saved.way < 0);
    const bool shapes = shape(saved.moves);
    const int inner = movers_.that_varies_with(which);
    const bool has_inner = inner < movers_.count();
    const mover saved_inner = has_inner ? movers_[inner] : mover{};
    for (long long at = saved.at; at < saved.at + saved.trips; ++at) {
      movers_[which].at = at;
      movers_[which].trips = 1;
      if (has_inner) {
        const long long end = saved_inner.at + saved_inner.trips, trips = saved_inner.trips_at.at(at);
        movers_[inner].varies = false;
        movers_[inner].trips = (trips < end ? trips : end) - saved_inner.at;
        if (movers_[inner].trips < 1) continue;
      }
      if (shapes) requests_.change_pattern();
      movers_.place(which);
      enter(where, active, times);
    }
    movers_[which] = saved;
    if (has_inner) movers_[inner] = saved_inner;
    if (shapes) requests_.change_pattern();
    movers_.place(which);
  }

  // The warps of the group, from that direction on.
  BANKMODEL_FN constexpr void enter_warps(int way, std::uint64_t active, std::uint64_t times) {
    for (; way < 3; ++way) {
      const warp_loop& loop = movers_.group().along[way];
      if (loop.trips == 1) continue;
      mover m;
      m.moves = 1u << way | variable_bit(variable::tid) | variable_bit(variable::warp);
      m.way = way;
      m.trips = loop.trips;
      m.step = loop.warps;
      if (nest_.matters(m.moves, -1)) {
        enter_mover(way - 3, {way - 2}, m, active, times);
        return;
      }
      times *= static_cast<std::uint64_t>(loop.trips);
    }
    enter({0}, active, times);
  }

  // ---- loops ----

  // powers and values: few iterations, walked.
  BANKMODEL_FN constexpr void enter_list(const place_in_nest& where, std::uint64_t active, std::uint64_t times) {
    const wrapper& w = access_.wrappers[where.level];
    const bool shapes = shape(variable_bit(w.variable));
    if (w.kind == wrapper_kind::values) {
      walk_iterations(w.first.size, false);
      for (int at = 0; at < w.first.size; ++at) {
        movers_.set(w.variable, access_.nodes[w.first.first + at].value);
        if (shapes) requests_.change_pattern();
        requests_.change_place();
        enter({where.level + 1}, active, times);
      }
      return;
    }
    const auto moved = movers_.that_move(nest_.read_by(where.level).used);
    if (moved.count != 0) {
      hold_still(moved.fewest, where, active, times);
      return;
    }
    movers_.look_at(lowest_lane(active));
    long long value = movers_.in_one_lane(w.first);
    const long long step = movers_.in_one_lane(w.step), trips = trips_of(w.kind, value, movers_.in_one_lane(w.last), step);
    walk_iterations(trips, false);
    for (long long trip = 0; trip < trips; ++trip) {
      if (trip > 0) value = next(w.kind, value, step);
      movers_.set(w.variable, value);
      if (shapes) requests_.change_pattern();
      requests_.change_place();
      enter({where.level + 1}, active, times);
    }
  }

  BANKMODEL_FN constexpr void enter_range(const place_in_nest& where, std::uint64_t active, std::uint64_t times) {
    const wrapper& w = access_.wrappers[where.level];
    const auto moved = movers_.that_move(nest_.read_by(where.level).used);
    if (moved.count != 0) {
      if (moved.count > 1 || !enter_moved_range(where.level, moved.fewest, active, times))
        hold_still(moved.fewest, where, active, times);
      return;
    }
    movers_.look_at(lowest_lane(active));
    mover m;
    m.first = movers_.in_one_lane(w.first);
    m.step = movers_.in_one_lane(w.step);
    m.trips = trips_of(w.kind, m.first, movers_.in_one_lane(w.last), m.step);
    if (m.trips != 0) enter_loop(where.level, m, active, times);
  }

  BANKMODEL_FN constexpr void enter_loop(int level, mover& m, std::uint64_t active, std::uint64_t times) {
    m.which = access_.wrappers[level].variable;
    m.moves = variable_bit(m.which);
    if (nest_.matters(m.moves, level)) {
      enter_mover(level, {level + 1}, m, active, times);
      return;
    }
    movers_.set(m.which, m.first);
    enter({level + 1}, active, checked_count_product(times, static_cast<std::uint64_t>(m.trips)));
  }

  // A loop whose bounds one mover moves by the same amount at each position. False if they move otherwise, or if the
  // numbers of trips differ where more than their sum would have to be known.
  BANKMODEL_FN constexpr bool enter_moved_range(int level, int outer, std::uint64_t active, std::uint64_t times) {
    const wrapper& w = access_.wrappers[level];
    const mover saved = movers_[outer];
    const int lane = lowest_lane(active);
    if ((nest_.used_by(w.step) & saved.moves) != 0 || !moves_evenly(level, outer)) return false;
    movers_.look_at(lane);
    const long long first = movers_.in_one_lane(w.first), last = movers_.in_one_lane(w.last), step = movers_.in_one_lane(w.step);
    if (step == 0) rule::step_must_not_be_zero();
    if (step == int64_min) return false;
    ++movers_[outer].at;
    movers_.place(outer);
    movers_.look_at(lane);
    const long long first_by = checked_subtract(movers_.in_one_lane(w.first), first);
    const long long last_by = checked_subtract(movers_.in_one_lane(w.last), last);
    movers_[outer] = saved;
    movers_.place(outer);
    const unsigned bit = variable_bit(w.variable);
    const bool bent = ((nest_.bent() | nest_.read_inside(level).bent) & bit) != 0;
    if (first_by != 0 && bent) return false;

    mover m;
    m.first = first;
    m.step = step;
    m.outer = outer;
    m.outer_from = saved.at;
    m.outer_by = first_by;
    const long long span = step > 0 ? checked_subtract(last, first) : checked_subtract(first, last);
    const long long by = step > 0 ? checked_subtract(last_by, first_by) : checked_subtract(first_by, last_by);
    if (by == 0) {
      m.trips = trips_of(w.kind, first, last, step);
      if (m.trips == 0) return true;
    } else {
      if (nest_.base_matters || bent || saved.varies || movers_.that_varies_with(outer) != movers_.count()) return false;
      // Only where there is an iteration: where -span < 0.
      const crossing begins = crossing_of(operation::less, checked_subtract(0, span), checked_subtract(0, by));
      const long long border = begins.first < 0 ? 0 : begins.first < saved.trips ? begins.first : saved.trips;
      mover& o = movers_[outer];
      if (!begins.before) o.at += border;
      o.trips = begins.before ? border : saved.trips - border;
      if (o.trips > 0) {
        const long long pace = step > 0 ? step : -step;
        m.varies = true;
        m.trips_at = {checked_subtract(checked_add(span, pace - 1), checked_multiply(by, saved.at)), by, pace};
        m.trips = m.trips_at.at(by > 0 ? o.at + o.trips - 1 : o.at);
      }
    }
    if (movers_[outer].trips > 0) {
      if (first_by != 0) movers_[outer].moves |= bit;
      movers_.place(outer);
      m.which = w.variable;
      m.moves = bit;
      if (m.varies || nest_.matters(bit, level)) {
        enter_mover(level, {level + 1}, m, active, times);
      } else {
        movers_.set(w.variable, first);
        enter({level + 1}, active, checked_count_product(times, static_cast<std::uint64_t>(m.trips)));
      }
    }
    movers_[outer] = saved;
    movers_.place(outer);
    return true;
  }

  // Whether a mover moves the bounds of a loop by the same amount at each position.
  BANKMODEL_FN constexpr bool moves_evenly(int level, int which) const {
    if ((nest_.read_by(level).bent & movers_[which].moves) == 0) return true;
    const wrapper& w = access_.wrappers[level];
    long long moves[variables];
    movers_.read_moves(which, moves);
    return movement_of(access_.nodes + w.first.first, w.first.size, moves, nest_.ranges).period == 1 &&
           movement_of(access_.nodes + w.last.first, w.last.size, moves, nest_.ranges).period == 1;
  }

  // Bounds that differ from lane to lane: the lanes run in lockstep, each with a value of its own, until the last one
  // has finished. That is a loop of as many iterations as the longest lane has, and inside it a filter: only lanes go on
  // that have not passed their last value.
  BANKMODEL_FN constexpr void enter_lockstep(const place_in_nest& where, std::uint64_t active, std::uint64_t times) {
    const wrapper& w = access_.wrappers[where.level];
    const unsigned bit = variable_bit(w.variable);
    if (where.between_bounds) {
      const node variable_itself{operation::variable, static_cast<long long>(w.variable)};
      const program value{&variable_itself, 1}, last{access_.nodes + w.last.first, w.last.size};
      const bool up = range_of(access_.nodes + w.step.first, w.step.size, nest_.ranges).lowest > 0;
      comparisons only;
      only.set(up ? comparison{value, last, operation::less, {}} : comparison{last, value, operation::less, {}}, nest_.lanes, nest_.fixed);
      pass(only, bit | nest_.used_by(w.last), where, {where.level + 1}, active, times);
      return;
    }
    const auto moved = movers_.that_move(nest_.read_by(where.level).used);
    const value_range first = range_of(access_.nodes + w.first.first, w.first.size, nest_.ranges);
    const value_range last = range_of(access_.nodes + w.last.first, w.last.size, nest_.ranges);
    const value_range step = range_of(access_.nodes + w.step.first, w.step.size, nest_.ranges);
    const bool in_step = w.kind == wrapper_kind::range && (nest_.used_by(w.step) & nest_.lanes) == 0 && first.known() && last.known() &&
                         step.known() && (step.lowest > 0 || step.highest < 0);
    if (moved.count != 0) {
      const bool moves_alike = in_step && (movers_[moved.fewest].moves & nest_.used_by(w.step)) == 0 && moves_evenly(where.level, moved.fewest) &&
                               ((nest_.bent() | nest_.read_inside(where.level).bent) & bit) == 0;
      if (moved.count > 1 || !moves_alike) {
        hold_still(moved.fewest, where, active, times);
        return;
      }
    }
    if (!in_step) {
      walk_in_lockstep(where.level, active, times);
      return;
    }

    movers_.look_at(lowest_lane(active));
    mover m;
    m.which = w.variable;
    m.moves = bit;
    m.step = movers_.in_one_lane(w.step);
    const long long most = m.step > 0 ? last.highest - first.lowest : first.highest - last.lowest;
    const long long least = m.step > 0 ? last.lowest - first.highest : first.lowest - last.highest;
    const long long pace = m.step > 0 ? m.step : -m.step;
    if (most <= 0) return;
    m.trips = (most - 1) / pace + 1;
    const bool together = least > 0 && (least - 1) / pace + 1 == m.trips;  // all lanes leave at once
    long long each[max_lanes];
    m.each_first = w.first;
    m.each = each;
    unsigned saved_moves = 0;
    if (moved.count != 0 && (nest_.used_by(w.first) & movers_[moved.fewest].moves) != 0) {
      saved_moves = movers_[moved.fewest].moves;
      movers_[moved.fewest].moves |= bit;
    }
    if ((nest_.subscripts.used & bit) != 0) requests_.change_pattern();
    enter_mover(where.level, together ? place_in_nest{where.level + 1} : place_in_nest{where.level, {}, true}, m, active, times);
    if (saved_moves != 0) movers_[moved.fewest].moves = saved_moves;
  }

  // Steps of the lanes' own, powers, or values that cannot be said before: one position after the other.
  BANKMODEL_FN constexpr void walk_in_lockstep(int level, std::uint64_t active, std::uint64_t times) {
    const wrapper& w = access_.wrappers[level];
    const lane_set lanes(active);
    long long value[max_lanes] = {}, last[max_lanes], step[max_lanes], trips[max_lanes];
    copy(movers_.in_lanes(w.first, lanes), lanes, value);
    copy(movers_.in_lanes(w.last, lanes), lanes, last);
    copy(movers_.in_lanes(w.step, lanes), lanes, step);
    long long most = 0;
    for (int index = 0; index < lanes.count; ++index) {
      const int lane = lanes.lane[index];
      trips[lane] = trips_of(w.kind, value[lane], last[lane], step[lane]);
      if (trips[lane] > most) most = trips[lane];
    }
    walk_iterations(most, w.kind == wrapper_kind::range);
    mover m;
    m.which = w.variable;
    m.moves = variable_bit(w.variable);
    m.each = value;
    const int which = movers_.count();
    for (long long trip = 0; trip < most; ++trip) {
      std::uint64_t running = 0;
      for (int index = 0; index < lanes.count; ++index) {
        const int lane = lanes.lane[index];
        if (trip >= trips[lane]) continue;
        running |= std::uint64_t{1} << lane;
        if (trip > 0) value[lane] = next(w.kind, value[lane], step[lane]);
      }
      requests_.change_pattern();
      requests_.change_place();
      movers_.push(m);
      movers_.place(which);
      enter({level + 1}, running, times);
      movers_.pop();
    }
  }

  BANKMODEL_FN static constexpr void copy(const lane_values& from, const lane_set& lanes, long long* to) {
    for (int index = 0; index < lanes.count; ++index) to[lanes.lane[index]] = from[lanes.lane[index]];
  }

  // ---- filters ----

  BANKMODEL_FN constexpr void enter_filter(const place_in_nest& where, std::uint64_t active, std::uint64_t times) {
    const slice whole = where.condition.size != 0 ? where.condition : access_.wrappers[where.level].first;
    parsed_condition& parsed = parsed_[where.level % conditions_kept];
    if (parsed.whole.first != whole.first || parsed.whole.size != whole.size) parse(whole, parsed);
    const slice condition = parsed.condition;
    const place_in_nest inside{parsed.rest.size != 0 ? where.level : where.level + 1, parsed.rest};
    if (parsed.may_be_taken_apart) {
      pass(parsed.all, parsed.used, {where.level, whole}, inside, active, times);
      return;
    }
    const auto moved = movers_.that_move(nest_.used_by(condition));
    if (moved.count != 0) {
      hold_still(moved.fewest, {where.level, whole}, active, times);
      return;
    }
    const lane_set lanes(active);
    const lane_values holds = movers_.in_lanes(condition, lanes);
    std::uint64_t passing = 0;
    for (int index = 0; index < lanes.count; ++index)
      if (holds[lanes.lane[index]] != 0) passing |= std::uint64_t{1} << lanes.lane[index];
    if (passing != 0) enter(inside, passing, times);
  }

  // A condition, the first one of `whole`, as it was read last.
  struct parsed_condition {
    slice whole, condition, rest;
    unsigned used = 0;
    bool may_be_taken_apart = false;
    comparisons all;
  };

  BANKMODEL_FN constexpr void parse(const slice& whole, parsed_condition& to) const {
    to.whole = whole;
    to.condition = first_condition(access_.nodes, whole, to.rest);
    to.used = nest_.used_by(to.condition);
    // The left side of && and || protects the right one: it may not be looked at early where it could be refused.
    const node* const nodes = access_.nodes + to.condition.first;
    to.may_be_taken_apart =
        to.all.read(nodes, to.condition.size, nest_.lanes, nest_.fixed) && range_of(nodes, to.condition.size, nest_.ranges).known();
  }

  // Goes on `inside` with the lanes that pass. `read` are the variables of the condition, `here` is where it stands.
  BANKMODEL_FN constexpr void pass(const comparisons& all, unsigned read, const place_in_nest& here, const place_in_nest& inside,
                                   std::uint64_t active, std::uint64_t times) {
    const auto moved = movers_.that_move(read);
    if (moved.count == 0) {
      const std::uint64_t passing = cutter_.lanes_that_pass(all, active);
      if (passing != 0) enter(inside, passing, times);
    } else if (!(moved.count == 1 && cut(all, moved.most, inside, active, times)) &&
               !(moved.count == 2 && cut_by_two(all, moved.most, moved.fewest, inside, active, times))) {
      hold_still(moved.fewest, here, active, times);
    }
  }

  // A filter that one mover moves: its interval falls into pieces.
  BANKMODEL_FN constexpr bool cut(const comparisons& all, int which, const place_in_nest& inside, std::uint64_t active, std::uint64_t times) {
    pieces by_lanes;
    if (!cutter_.cut(all, which, active, by_lanes)) return false;
    movers_.tighten(movers_[which]);
    const mover saved = movers_[which];
    const bool last_reader = nothing_reads(saved.moves, inside) && !saved.varies && movers_.that_varies_with(which) == movers_.count();
    for (int piece = 0; piece < by_lanes.count; ++piece) {
      const long long begin = piece == 0 || by_lanes.begin[piece] < 0 ? 0 : by_lanes.begin[piece];
      const bool last = piece == by_lanes.count - 1 || by_lanes.begin[piece + 1] > saved.trips;
      const long long trips = (last ? saved.trips : by_lanes.begin[piece + 1]) - begin;
      if (trips <= 0 || by_lanes.lanes[piece] == 0) continue;
      if (last_reader) {
        movers_[which].trips = 1;
        enter(inside, by_lanes.lanes[piece], checked_count_product(times, static_cast<std::uint64_t>(trips)));
        continue;
      }
      movers_[which].at = saved.at + begin;
      movers_[which].trips = trips;
      movers_.place(which);
      enter(inside, by_lanes.lanes[piece], times);
    }
    movers_[which] = saved;
    movers_.place(which);
    return true;
  }

  // A filter that two movers move, where a step of one shifts the pieces of the other by whole positions.
  BANKMODEL_FN constexpr bool cut_by_two(const comparisons& all, int which, int other, const place_in_nest& inside, std::uint64_t active,
                                         std::uint64_t times) {
    const mover saved = movers_[which], saved_other = movers_[other];
    for (int at = 0; at < movers_.count(); ++at)
      if (movers_[at].outer == which || movers_[at].outer == other) return false;
    if (saved.outer >= 0 || saved_other.outer >= 0) return false;
    long long shift = 0;
    pieces by_lanes;
    if (!cutter_.read_shift(all, which, other, active, shift) || !cutter_.cut(all, which, active, by_lanes)) return false;
    const bool last_reader = nothing_reads(saved.moves | saved_other.moves, inside);
    if (!last_reader) walk_iterations(saved_other.trips, saved_other.way < 0);
    std::uint64_t before = 0;
    for (int piece = 0; piece < by_lanes.count; ++piece) {
      const bool first = piece == 0, last = piece == by_lanes.count - 1;
      const long long begin = first ? 0 : by_lanes.begin[piece], end = last ? 0 : by_lanes.begin[piece + 1];
      if (last_reader) {
        // Pairs of positions before the end of this piece.
        const std::uint64_t behind = last ? checked_count_product(static_cast<std::uint64_t>(saved.trips), static_cast<std::uint64_t>(saved_other.trips))
                                          : moving_trips{end, shift, 1}.sum(0, saved_other.trips, saved.trips);
        if (by_lanes.lanes[piece] != 0 && behind != before) {
          movers_[which].trips = movers_[other].trips = 1;
          enter(inside, by_lanes.lanes[piece], checked_count_product(times, behind - before));
        }
        before = behind;
        continue;
      }
      if (by_lanes.lanes[piece] == 0) continue;
      for (long long position = 0; position < saved_other.trips; ++position) {
        const long long from = first ? 0 : checked_add(begin, shift * position), to = last ? saved.trips : checked_add(end, shift * position);
        const long long at = from < 0 ? 0 : from, trips = (to > saved.trips ? saved.trips : to) - at;
        if (trips <= 0) continue;
        movers_[other].at = saved_other.at + position;
        movers_[other].trips = 1;
        movers_[which].at = saved.at + at;
        movers_[which].trips = trips;
        movers_.place(other);
        movers_.place(which);
        enter(inside, by_lanes.lanes[piece], times);
      }
    }
    movers_[which] = saved;
    movers_[other] = saved_other;
    movers_.place(other);
    movers_.place(which);
    return true;
  }

  // Whether from `inside` on it makes no difference how far these variables have moved.
  BANKMODEL_FN constexpr bool nothing_reads(unsigned moves, const place_in_nest& inside) const {
    if ((moves & nest_.used_by(inside.condition)) != 0) return false;
    return !nest_.matters(moves, inside.condition.size != 0 ? inside.level : inside.level - 1);
  }

  const access_view access_;
  requests_by_residue by_residue_;
  nest nest_;
  movers movers_;
  cutter cutter_;
  requests requests_;
  static constexpr int conditions_kept = 4;
  parsed_condition parsed_[conditions_kept];
  long long limit_ = 0, iterations_ = 0;
  bool walked_ = false;
};

}  // namespace detail
}  // namespace bankmodel

#endif
