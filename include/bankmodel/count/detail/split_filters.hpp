// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_SPLIT_FILTERS_HPP
#define BANKMODEL_COUNT_DETAIL_SPLIT_FILTERS_HPP

#include <bankmodel/count/detail/cuts.hpp>
#include <bankmodel/count/detail/walk.hpp>

#include <bankmodel/core/hide_macros.hpp>

// Filters: a comparison that one loop moves cuts its interval into pieces, each with the lanes that
// pass in it; if two loops move it, the pieces of one loop shift with the other.
namespace bankmodel::detail {

class filter_splitter {
 public:
  using place = walk::place;

  BANKMODEL_FN filter_splitter(const lowered& nest, point& state, walk& walker)
      : nest_(nest), point_(state), walk_(walker), cutter_(nest, state) {}

  BANKMODEL_FN void enter(const place& position, std::uint64_t active, std::uint64_t times) {
    const slice conditions = position.condition.size != 0
                                 ? position.condition
                                 : nest_.access.wrappers[position.level].first;
    split_condition& read = cutter_.read(position.level, conditions);
    const place filter{position.level, conditions},
        inside{read.rest.size != 0 ? position.level : position.level + 1, read.rest};
    if (read.may_be_taken_apart) return pass(read, filter, inside, active, times);
    const auto moved = point_.that_move(read.used);
    if (moved.count != 0) return walk_.enumerate(moved.fewest, filter, active, times);
    const lane_set lanes(active);
    walk_.spend(lanes.count * (4 + 7 * read.condition.size));
    point_.read_lanes(lanes, read.used);
    const lane_values holds = point_.evaluated(read.condition, lanes);
    std::uint64_t passing = 0;
    for (int index = 0; index < lanes.count; ++index)
      if (holds[lanes.lane[index]] != 0) passing |= std::uint64_t{1} << lanes.lane[index];
    if (passing != 0) walk_.enter(inside, passing, times);
  }

  // Continues at `inside` with the lanes that pass the condition, which is at `filter`.
  BANKMODEL_FN void pass(split_condition& condition, const place& filter, const place& inside,
                         std::uint64_t active, std::uint64_t times) {
    const auto moved = point_.that_move(condition.used);
    walk_.spend(150);
    if (moved.count == 0) {
      const std::uint64_t passing = cutter_.lanes_that_pass(condition, active);
      if (passing != 0) walk_.enter(inside, passing, times);
    } else if (!(moved.count == 1 && cut(condition, moved.longest, inside, active, times)) &&
               !(moved.count == 2 && !condition.is_wide &&
                 cut_by_two(condition, moved.longest, moved.fewest, inside, active, times))) {
      walk_.enumerate(moved.fewest, filter, active, times);
    }
  }

 private:
  // A filter that one loop moves. Returns false if the condition does not move evenly.
  BANKMODEL_FN bool cut(split_condition& condition, int loop, const place& inside,
                        std::uint64_t active, std::uint64_t times) {
    pieces by_lanes;
    if (!cutter_.cut(condition, loop, active, by_lanes)) return false;
    if (walk_.counts_steps() && !walk_.spend_iterations(by_lanes.count / 2, false)) return true;
    const interval original = point_[loop], saved = point_.tightened(loop);
    const bool last_reader = nothing_reads(saved.moves, inside) && !saved.varies &&
                             point_.that_varies_with(loop) == point_.count();
    const bool alike =
        last_reader && !walk_.notes_places && subscripts_may_be_read_anywhere(saved.moves);
    for (int piece = 0; piece < by_lanes.count; ++piece) {
      const long long begin = piece == 0 || by_lanes.begin[piece] < 0 ? 0 : by_lanes.begin[piece];
      const bool last = piece == by_lanes.count - 1 || by_lanes.begin[piece + 1] > saved.trips;
      const long long trips = (last ? saved.trips : by_lanes.begin[piece + 1]) - begin;
      if (trips <= 0 || by_lanes.lanes[piece] == 0) continue;
      if (!alike) point_[loop].begin = saved.begin + begin;
      point_[loop].trips = last_reader ? 1 : trips;
      walk_.enter(inside, by_lanes.lanes[piece],
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
        !walk_.notes_places && subscripts_may_be_read_anywhere(saved.moves | saved_other.moves);
    point_[loop].trips = point_[other].trips = 1;
    std::uint64_t previous = 0;  // pairs before the piece
    for (int piece = 0; piece < by_lanes.count; ++piece) {
      const bool first = piece == 0, last = piece == by_lanes.count - 1;
      const long long begin = first ? 0 : by_lanes.begin[piece],
                      end = last ? 0 : by_lanes.begin[piece + 1];
      const std::uint64_t cumulative =
          last ? times_over(static_cast<std::uint64_t>(saved.trips),
                            static_cast<std::uint64_t>(saved_other.trips))
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
        if (walk_.notes_places && is_outer && shift < 0)
          go_to_first(first ? int64_min : begin, last ? int64_max : end, shift, loop, other, saved,
                      saved_other);
      }
      walk_.enter(inside, by_lanes.lanes[piece], times_over(times, pairs));
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
  // Enumerates the other loop, each position with its shifted pieces. If nothing else depends on
  // the loop that is cut, and only subscripts on the other one, its positions at which a piece has
  // the same trips are one interval.
  BANKMODEL_FN void enter_shifted(const pieces& by_lanes, long long shift, int loop, int other,
                                  const place& inside, std::uint64_t times) {
    const interval saved = point_[loop], saved_other = point_[other];
    if (!walk_.spend_iterations(checked_multiply(saved_other.trips, by_lanes.count),
                                !saved_other.of_warps))
      return;
    const bool last_reader = !walk_.notes_places && nothing_reads(saved.moves, inside) &&
                             (saved_other.moves & used_by_wrappers(inside)) == 0;
    for (int piece = 0; piece < by_lanes.count; ++piece) {
      if (by_lanes.lanes[piece] == 0) continue;
      const bool first = piece == 0, last = piece == by_lanes.count - 1;
      const auto begin_at = [&](long long position) {
        const long long start = first ? 0 : checked_add(by_lanes.begin[piece], shift * position);
        return start < 0 ? 0 : start;
      };
      const auto trips_at = [&](long long position) {
        const long long end =
            last ? saved.trips : checked_add(by_lanes.begin[piece + 1], shift * position);
        return (end > saved.trips ? saved.trips : end) - begin_at(position);
      };
      long long position = 0, trips = trips_at(0);
      while (position < saved_other.trips) {
        const long long start = position, alike = trips;
        do trips = ++position < saved_other.trips ? trips_at(position) : 0;
        while (last_reader && trips == alike && position < saved_other.trips);
        if (alike <= 0) continue;
        point_[other].begin = saved_other.begin + start;
        point_[other].trips = position - start;
        point_[loop].begin = saved.begin + begin_at(start);
        point_[loop].trips = last_reader ? 1 : alike;
        walk_.enter(inside, by_lanes.lanes[piece],
                    last_reader ? times_over(times, static_cast<std::uint64_t>(alike)) : times);
      }
    }
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

  const lowered& nest_;
  point& point_;
  walk& walk_;
  cutter cutter_;
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
