// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_LOOP_BOUNDS_HPP
#define BANKMODEL_COUNT_DETAIL_LOOP_BOUNDS_HPP

#include <bankmodel/count/detail/conditions.hpp>
#include <bankmodel/count/detail/movers.hpp>
#include <bankmodel/count/detail/trips.hpp>

// Loops whose bounds differ from position to position of a mover, or from lane to lane.
namespace bankmodel::detail {

class bounds {
 public:
  BANKMODEL_FN bounds(const nest& of, movers& by) : nest_(of), movers_(by) {}

  // Whether a mover moves the bounds of the loop at `level`, not its step, by the same amount at
  // each position and in each lane.
  BANKMODEL_FN bool move_evenly(int level, int which) const {
    const unsigned moves = movers_[which].moves;
    const wrapper& w = nest_.access.wrappers[level];
    if ((nest_.used_by(w.step) & moves) != 0) return false;
    if ((nest_.read_by(level).bent & moves) == 0) return true;
    long long by[variables];
    movers_.read_moves(which, by);
    const movement first = movement_of(nodes(w.first), w.first.size, by, nest_.ranges);
    const movement last = movement_of(nodes(w.last), w.last.size, by, nest_.ranges);
    const bool in_lockstep = (nest_.in_lockstep & variable_bit(w.variable)) != 0;
    return first.period == 1 && last.period == 1 && !(in_lockstep && (first.scaled || last.scaled));
  }

  // Whether something inside the loop at `level` reads its variable in a way that allows no sum of
  // multiples.
  BANKMODEL_FN bool variable_is_bent(int level) const {
    return ((nest_.bent() | nest_.read_inside(level).bent) &
            variable_bit(nest_.access.wrappers[level].variable)) != 0;
  }

  // A loop as a mover, where one mover moves its bounds evenly. The outer one's interval is cut to
  // where the loop has an iteration, and it may have none left; its `moves` grow. False, and
  // nothing has changed, if the numbers of trips differ where more than their sum would have to be
  // known.
  BANKMODEL_FN bool read_moved(int level, int outer, int lane, mover& m) {
    const wrapper& w = nest_.access.wrappers[level];
    mover& o = movers_[outer];
    movers_.look_at(lane);
    const long long first = movers_.in_one_lane(w.first), last = movers_.in_one_lane(w.last),
                    step = movers_.in_one_lane(w.step);
    if (step == 0) rule::step_must_not_be_zero();
    if (step == int64_min) return false;
    ++o.at;
    movers_.place(outer);
    movers_.look_at(lane);
    const long long first_by = checked_subtract(movers_.in_one_lane(w.first), first);
    const long long last_by = checked_subtract(movers_.in_one_lane(w.last), last);
    --o.at;
    movers_.place(outer);
    const bool bent = variable_is_bent(level);
    if (first_by != 0 && bent) return false;

    m.which = w.variable;
    m.moves = variable_bit(w.variable);
    m.first = first;
    m.step = step;
    m.outer = outer;
    m.outer_from = o.at;
    m.outer_by = first_by;
    const long long span = step > 0 ? checked_subtract(last, first) : checked_subtract(first, last);
    const long long by =
        step > 0 ? checked_subtract(last_by, first_by) : checked_subtract(first_by, last_by);
    if (by == 0) {
      m.trips = trips_of(w.kind, first, last, step);
      if (m.trips == 0) o.trips = 0;
    } else {
      if (nest_.base_matters || bent || o.varies ||
          movers_.that_varies_with(outer) != movers_.count())
        return false;
      const long long pace = step > 0 ? step : -step;
      m.varies = true;
      m.trips_at = {checked_subtract(checked_add(span, pace - 1), checked_multiply(by, o.at)), by,
                    pace};
      // Only where there is an iteration: where -span < 0.
      const crossing begins =
          crossing_of(operation::less, checked_subtract(0, span), checked_subtract(0, by));
      const long long border = begins.first < 0         ? 0
                               : begins.first < o.trips ? begins.first
                                                        : o.trips;
      if (!begins.before) o.at += border;
      o.trips = begins.before ? border : o.trips - border;
      if (o.trips > 0) m.trips = m.trips_at.at(by > 0 ? o.at + o.trips - 1 : o.at);
    }
    if (first_by != 0) o.moves |= m.moves;
    movers_.place(outer);
    return true;
  }

  // Lanes in lockstep: a loop of as many iterations as the longest lane has, whichever that is,
  // and a filter inside, for only lanes go on that have not passed their last value.
  struct lockstep {
    bool known = false;
    // how far the bounds of a lane lie apart, in the direction of the step
    long long most = 0, least = 0;
  };

  // Of all lanes of the block at any position of any mover. Required: the lanes have one step.
  BANKMODEL_FN lockstep read_lockstep(int level) const {
    const wrapper& w = nest_.access.wrappers[level];
    const value_range first = range(w.first), last = range(w.last), step = range(w.step);
    if (!first.known() || !last.known() || !step.known() || (step.lowest <= 0 && step.highest >= 0))
      return {};
    if (step.lowest > 0) return {true, last.highest - first.lowest, last.lowest - first.highest};
    return {true, first.highest - last.lowest, first.lowest - last.highest};
  }

  // Of those lanes, where no mover moves the bounds; not known if values are so large that sums
  // could overflow.
  BANKMODEL_FN lockstep read_lockstep(int level, std::uint64_t active, bool upwards) {
    const wrapper& w = nest_.access.wrappers[level];
    const auto read = nest_.read_by(level);
    const int low = lowest_lane(active), high = highest_lane(active);
    const bool in_a_line = (read.bent & nest_.lanes) == 0 && nest_.lanes_in_a_line(read.used);
    lockstep result;
    for (int lane = low; lane <= high; lane = in_a_line && lane < high ? high : lane + 1) {
      if ((active >> lane & 1) == 0) continue;
      movers_.look_at(lane);
      const long long first = movers_.in_one_lane(w.first), last = movers_.in_one_lane(w.last);
      if (first > range_limit || first < -range_limit || last > range_limit || last < -range_limit)
        return {};
      const long long apart = upwards ? last - first : first - last;
      if (lane == low || apart > result.most) result.most = apart;
      if (lane == low || apart < result.least) result.least = apart;
    }
    result.known = true;
    return result;
  }

 private:
  BANKMODEL_FN const node* nodes(const slice& program) const {
    return nest_.access.nodes + program.first;
  }
  BANKMODEL_FN value_range range(const slice& program) const {
    return detail::range_of(nodes(program), program.size, nest_.ranges);
  }

  const nest& nest_;
  movers& movers_;
};

}  // namespace bankmodel::detail

#endif
