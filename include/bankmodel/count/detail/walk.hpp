// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_WALK_HPP
#define BANKMODEL_COUNT_DETAIL_WALK_HPP

#include <bankmodel/count/detail/loop_bounds.hpp>
#include <bankmodel/count/detail/requests.hpp>

// One access of one block: its warps through their loops and filters.
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

// The same in a constant expression, as steps of the compiler, so that this rule speaks and not
// the compiler's own limit (clang's is 1 048 576): some hundred iterations where lanes are looked
// at one by one, thousands where not.
constexpr long long most_steps_in_a_constant_expression = 800'000;

namespace detail {

// A total, and how many requests were evaluated for it.
struct counted_total {
  cost sum;
  std::uint64_t evaluated;
};

// A loop is not walked but kept as a mover, and so are the warps of a group. A filter that reads a
// mover cuts its interval where lanes join or leave, and goes on with each piece and its lanes.
// What reads movers in a way that has no such form holds one of them still: it walks its
// positions.
class walk {
 public:
  BANKMODEL_FN walk(const machine& m, const block_dim& block, const access_view& access,
                    const block_index& at, request_sink* sink = nullptr)
      : access_(access),
        by_residue_(valid(m), access.array.element_bytes * access.vector, access.kind,
                    access.array.element_bytes, sink),
        nest_(m, block, at, access, by_residue_.residues()),
        movers_(m, block, at, nest_),
        bounds_(nest_, movers_),
        cutter_(nest_, movers_),
        requests_(access_, nest_, movers_, by_residue_) {}

  // The same, and in to[r] the wavefronts if the array began r elements later, for each of
  // residues(): elsewhere they come back. Required: residues() is not 0.
  BANKMODEL_FN counted_total run_at_all_bases(std::uint64_t* to) {
    by_residue_.sum_at_all_bases(to);
    const counted_total result = run();
    for (int at = 0; at < residues(); ++at)
      to[at] = checked_count_sum(to[at], by_residue_.everywhere());
    return result;
  }
  BANKMODEL_FN int residues() const { return by_residue_.residues(); }
  // About what clang counts for looking at the lanes of a request one by one; 0 if that is not
  // needed.
  BANKMODEL_FN long long steps_of_lanes() const {
    return nest_.in_a_line ? 0 : 2 * nest_.steps_of_an_iteration();
  }

  BANKMODEL_FN counted_total run() {
    limit_ = __builtin_is_constant_evaluated()
                 ? most_steps_in_a_constant_expression / nest_.steps_of_an_iteration()
                 : most_iterations;
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
    slice condition = {};         // of a filter: what is left of it
    bool between_bounds = false;  // of a loop in lockstep: which lanes are still in it
  };

  BANKMODEL_FN static const machine& valid(const machine& m) {
    m.require_valid();
    return m;
  }

  BANKMODEL_FN void walk_iterations(long long trips, bool for_want_of_a_better_way) {
    if (trips > limit_ - iterations_) rule::iterations_must_be_few_enough_to_count(limit_);
    iterations_ += trips;
    walked_ = walked_ || for_want_of_a_better_way;
  }

  // Whether variables decide how the lanes of a request lie to each other.
  BANKMODEL_FN bool shape(unsigned moves) const {
    return (moves & (nest_.subscripts.shaping | nest_.subscripts.bent_in_lanes)) != 0;
  }

  BANKMODEL_FN void enter(const place_in_nest& where, std::uint64_t active, std::uint64_t times) {
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
  BANKMODEL_FN void enter_mover(int level, const place_in_nest& inside, const mover& added,
                                std::uint64_t active, std::uint64_t times) {
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
  BANKMODEL_FN void hold_still(int which, const place_in_nest& where, std::uint64_t active,
                               std::uint64_t times) {
    const mover whole = movers_[which], saved = movers_.tightened(which);
    walk_iterations(saved.trips, saved.way < 0);
    const bool shapes = shape(saved.moves);
    const int inner = movers_.that_varies_with(which);
    const bool has_inner = inner < movers_.count();
    const mover saved_inner = has_inner ? movers_[inner] : mover{};
    for (long long at = saved.at; at < saved.at + saved.trips; ++at) {
      movers_[which].at = at;
      movers_[which].trips = 1;
      if (has_inner) {
        const long long end = saved_inner.at + saved_inner.trips,
                        trips = saved_inner.trips_at.at(at);
        movers_[inner].varies = false;
        movers_[inner].trips = (trips < end ? trips : end) - saved_inner.at;
        if (movers_[inner].trips < 1) continue;
      }
      if (shapes) requests_.change_pattern();
      movers_.place(which);
      enter(where, active, times);
    }
    movers_[which] = whole;
    if (has_inner) movers_[inner] = saved_inner;
    if (shapes) requests_.change_pattern();
    movers_.place(which);
  }

  // The warps of the group, from that direction on.
  BANKMODEL_FN void enter_warps(int way, std::uint64_t active, std::uint64_t times) {
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
  BANKMODEL_FN void enter_list(const place_in_nest& where, std::uint64_t active,
                               std::uint64_t times) {
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
    const long long step = movers_.in_one_lane(w.step),
                    trips = trips_of(w.kind, value, movers_.in_one_lane(w.last), step);
    walk_iterations(trips, false);
    for (long long trip = 0; trip < trips; ++trip) {
      if (trip > 0) value = next(w.kind, value, step);
      movers_.set(w.variable, value);
      if (shapes) requests_.change_pattern();
      requests_.change_place();
      enter({where.level + 1}, active, times);
    }
  }

  BANKMODEL_FN void enter_range(const place_in_nest& where, std::uint64_t active,
                                std::uint64_t times) {
    const wrapper& w = access_.wrappers[where.level];
    const auto moved = movers_.that_move(nest_.read_by(where.level).used);
    mover m;
    if (moved.count == 0) {
      movers_.look_at(lowest_lane(active));
      m.which = w.variable;
      m.moves = variable_bit(w.variable);
      m.first = movers_.in_one_lane(w.first);
      m.step = movers_.in_one_lane(w.step);
      m.trips = trips_of(w.kind, m.first, movers_.in_one_lane(w.last), m.step);
      if (m.trips != 0) enter_loop(where.level, m, active, times);
      return;
    }
    const mover outer = movers_[moved.fewest];
    if (moved.count > 1 || !bounds_.move_evenly(where.level, moved.fewest) ||
        !bounds_.read_moved(where.level, moved.fewest, lowest_lane(active), m)) {
      hold_still(moved.fewest, where, active, times);
      return;
    }
    if (movers_[moved.fewest].trips > 0) enter_loop(where.level, m, active, times);
    movers_[moved.fewest] = outer;
    movers_.place(moved.fewest);
  }

  BANKMODEL_FN void enter_loop(int level, const mover& m, std::uint64_t active,
                               std::uint64_t times) {
    if (m.varies || nest_.matters(m.moves, level)) {
      enter_mover(level, {level + 1}, m, active, times);
      return;
    }
    movers_.set(m.which, m.first);
    enter({level + 1}, active, times_over(times, static_cast<std::uint64_t>(m.trips)));
  }

  // Bounds that differ from lane to lane: the lanes run in lockstep, each with a value of its own,
  // until the last one has finished.
  BANKMODEL_FN void enter_lockstep(const place_in_nest& where, std::uint64_t active,
                                   std::uint64_t times) {
    const wrapper& w = access_.wrappers[where.level];
    const unsigned bit = variable_bit(w.variable);
    if (where.between_bounds) {
      movers_.look_at(lowest_lane(active));
      const bool upwards = movers_.in_one_lane(w.step) > 0;
      const node variable_itself{operation::variable, static_cast<long long>(w.variable)};
      const program value{&variable_itself, 1}, last{access_.nodes + w.last.first, w.last.size};
      comparisons only;
      only.set({upwards ? value : last, upwards ? last : value, operation::less, {}}, nest_.lanes,
               nest_.fixed);
      pass(only, bit | nest_.used_by(w.last), where, {where.level + 1}, active, times);
      return;
    }
    const auto moved = movers_.that_move(nest_.read_by(where.level).used);
    const bool in_step =
        w.kind == wrapper_kind::range && (nest_.used_by(w.step) & nest_.lanes) == 0;
    bounds::lockstep loop;
    if (moved.count == 1 && in_step && bounds_.move_evenly(where.level, moved.fewest) &&
        !bounds_.variable_is_bent(where.level))
      loop = bounds_.read_lockstep(where.level);
    if (moved.count != 0 && !loop.known) {
      hold_still(moved.fewest, where, active, times);
      return;
    }
    long long step = 0;
    if (in_step) {
      movers_.look_at(lowest_lane(active));
      step = movers_.in_one_lane(w.step);
      if (step == 0) rule::step_must_not_be_zero();
      if (moved.count == 0) loop = bounds_.read_lockstep(where.level, active, step > 0);
    }
    if (!loop.known || step == int64_min) {
      walk_in_lockstep(where.level, active, times);
      return;
    }
    if (loop.most <= 0) return;
    long long each[max_lanes];
    mover m;
    m.which = w.variable;
    m.moves = bit;
    m.step = step;
    const long long pace = step > 0 ? step : -step;
    m.trips = (loop.most - 1) / pace + 1;
    m.each_first = w.first;
    m.each = each;
    // all lanes finish at once
    const bool together = loop.least > 0 && (loop.least - 1) / pace + 1 == m.trips;
    const unsigned moves = moved.count == 0 ? 0 : movers_[moved.fewest].moves;
    if ((nest_.used_by(w.first) & moves) != 0) movers_[moved.fewest].moves |= bit;
    if ((nest_.subscripts.used & bit) != 0) requests_.change_pattern();
    enter_mover(where.level,
                together ? place_in_nest{where.level + 1} : place_in_nest{where.level, {}, true}, m,
                active, times);
    if (moved.count != 0) movers_[moved.fewest].moves = moves;
  }

  // Steps of the lanes' own, powers, or values that cannot be said before: one position after the
  // other.
  BANKMODEL_FN void walk_in_lockstep(int level, std::uint64_t active, std::uint64_t times) {
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

  BANKMODEL_FN static void copy(const lane_values& from, const lane_set& lanes, long long* to) {
    for (int index = 0; index < lanes.count; ++index)
      to[lanes.lane[index]] = from[lanes.lane[index]];
  }

  // ---- filters ----

  BANKMODEL_FN void enter_filter(const place_in_nest& where, std::uint64_t active,
                                 std::uint64_t times) {
    const slice whole =
        where.condition.size != 0 ? where.condition : access_.wrappers[where.level].first;
    const auto& read = cutter_.read(where.level, whole);
    const slice condition = read.condition;
    const place_in_nest inside{read.rest.size != 0 ? where.level : where.level + 1, read.rest};
    if (read.may_be_taken_apart) {
      pass(read.all, read.used, {where.level, whole}, inside, active, times);
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

  // Goes on `inside` with the lanes that pass. `read` are the variables of the condition, `here`
  // is where it stands.
  BANKMODEL_FN void pass(const comparisons& all, unsigned read, const place_in_nest& here,
                         const place_in_nest& inside, std::uint64_t active, std::uint64_t times) {
    const auto moved = movers_.that_move(read);
    if (moved.count == 0) {
      const std::uint64_t passing = cutter_.lanes_that_pass(all, active);
      if (passing != 0) enter(inside, passing, times);
    } else if (!(moved.count == 1 && cut(all, moved.most, inside, active, times)) &&
               !(moved.count == 2 &&
                 cut_by_two(all, moved.most, moved.fewest, inside, active, times))) {
      hold_still(moved.fewest, here, active, times);
    }
  }

  // A filter that one mover moves: its interval falls into pieces.
  BANKMODEL_FN bool cut(const comparisons& all, int which, const place_in_nest& inside,
                        std::uint64_t active, std::uint64_t times) {
    pieces by_lanes;
    if (!cutter_.cut(all, which, active, by_lanes)) return false;
    // so much they cost the compiler
    if (__builtin_is_constant_evaluated()) walk_iterations(by_lanes.count / 2, false);
    const mover whole = movers_[which], saved = movers_.tightened(which);
    const bool last_reader = nothing_reads(saved.moves, inside) && !saved.varies &&
                             movers_.that_varies_with(which) == movers_.count();
    const bool alike = last_reader && subscripts_may_be_read_anywhere(saved.moves);
    for (int piece = 0; piece < by_lanes.count; ++piece) {
      const long long begin = piece == 0 || by_lanes.begin[piece] < 0 ? 0 : by_lanes.begin[piece];
      const bool last = piece == by_lanes.count - 1 || by_lanes.begin[piece + 1] > saved.trips;
      const long long trips = (last ? saved.trips : by_lanes.begin[piece + 1]) - begin;
      if (trips <= 0 || by_lanes.lanes[piece] == 0) continue;
      if (alike) {
        movers_[which].trips = 1;
        enter(inside, by_lanes.lanes[piece], times_over(times, static_cast<std::uint64_t>(trips)));
        continue;
      }
      movers_[which].at = saved.at + begin;
      movers_[which].trips = last_reader ? 1 : trips;
      movers_.place(which);
      enter(inside, by_lanes.lanes[piece],
            last_reader ? times_over(times, static_cast<std::uint64_t>(trips)) : times);
    }
    movers_[which] = whole;
    movers_.place(which);
    return true;
  }

  // A filter that two movers move, where a step of one shifts the pieces of the other by whole
  // positions.
  BANKMODEL_FN bool cut_by_two(const comparisons& all, int which, int other,
                               const place_in_nest& inside, std::uint64_t active,
                               std::uint64_t times) {
    const mover saved = movers_[which], saved_other = movers_[other];
    for (int at = 0; at < movers_.count(); ++at)
      if (movers_[at].outer == which || movers_[at].outer == other) return false;
    if (saved.outer >= 0 || saved_other.outer >= 0) return false;
    long long shift = 0;
    pieces by_lanes;
    if (!cutter_.read_shift(all, which, other, active, shift) ||
        !cutter_.cut(all, which, active, by_lanes))
      return false;
    const bool last_reader = nothing_reads(saved.moves | saved_other.moves, inside);
    const bool alike =
        last_reader && subscripts_may_be_read_anywhere(saved.moves | saved_other.moves);
    if (!last_reader)
      walk_iterations(checked_multiply(saved_other.trips, by_lanes.count), saved_other.way < 0);
    int counted = -2;  // the last piece whose end was counted, and what that gave
    std::uint64_t counted_pairs = 0;
    for (int piece = 0; piece < by_lanes.count; ++piece) {
      if (by_lanes.lanes[piece] == 0) continue;
      const bool first = piece == 0, last = piece == by_lanes.count - 1;
      const long long begin = first ? 0 : by_lanes.begin[piece],
                      end = last ? 0 : by_lanes.begin[piece + 1];
      if (last_reader) {
        // Pairs of positions before the end of the piece, less those before its beginning.
        const std::uint64_t behind =
            last ? checked_count_product(static_cast<std::uint64_t>(saved.trips),
                                         static_cast<std::uint64_t>(saved_other.trips))
                 : moving_trips{end, shift, 1}.sum(0, saved_other.trips, saved.trips);
        const std::uint64_t before =
            first ? 0
            : counted == piece - 1
                ? counted_pairs
                : moving_trips{begin, shift, 1}.sum(0, saved_other.trips, saved.trips);
        counted = piece;
        counted_pairs = behind;
        if (behind == before) continue;
        if (alike) {
          movers_[which].trips = movers_[other].trips = 1;
          enter(inside, by_lanes.lanes[piece], times_over(times, behind - before));
          continue;
        }
        // A pair of the piece: the first position of the other at which it has one.
        const long long missing =
            shift > 0 ? (last ? -1 : -end) : (first ? -1 : begin - saved.trips);
        const long long position = missing < 0 ? 0 : missing / (shift > 0 ? shift : -shift) + 1;
        const long long from = first ? 0 : begin + shift * position;
        movers_[other].at = saved_other.at + position;
        movers_[which].at = saved.at + (from < 0 ? 0 : from);
        movers_[which].trips = movers_[other].trips = 1;
        movers_.place(other);
        movers_.place(which);
        enter(inside, by_lanes.lanes[piece], times_over(times, behind - before));
        continue;
      }
      for (long long position = 0; position < saved_other.trips; ++position) {
        const long long from = first ? 0 : checked_add(begin, shift * position),
                        to = last ? saved.trips : checked_add(end, shift * position);
        const long long at = from < 0 ? 0 : from,
                        trips = (to > saved.trips ? saved.trips : to) - at;
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

  // Whether the subscripts, where nothing reads these variables any more, give the same and no
  // refusal where no lane is active.
  BANKMODEL_FN bool subscripts_may_be_read_anywhere(unsigned moves) const {
    return (nest_.subscripts.used & moves) == 0 || nest_.may_be_read_anywhere();
  }

  // Whether from `inside` on it makes no difference how far these variables have moved.
  BANKMODEL_FN bool nothing_reads(unsigned moves, const place_in_nest& inside) const {
    if ((moves & nest_.used_by(inside.condition)) != 0) return false;
    return !nest_.matters(moves, inside.condition.size != 0 ? inside.level : inside.level - 1);
  }

  const access_view access_;
  requests_by_residue by_residue_;
  nest nest_;
  movers movers_;
  bounds bounds_;
  cutter cutter_;
  requests requests_;
  long long limit_ = 0, iterations_ = 0;
  bool walked_ = false;
};

}  // namespace detail
}  // namespace bankmodel

#endif
