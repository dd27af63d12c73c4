// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_TRIANGLE_HPP
#define BANKMODEL_COUNT_DETAIL_TRIANGLE_HPP

#include <bankmodel/count/detail/loop_intervals.hpp>
#include <bankmodel/count/request_taker.hpp>

// The requests of a loop whose trips vary with an outer loop, if the base matters.
namespace bankmodel::detail {

// When they repeat, modulo the taker's bytes: the bases of the inner loop after `cycle` iterations;
// after `positions` of the outer loop its base is the same again, and the inner loop has a multiple
// of `cycle` more iterations.
struct repetition {
  long long cycle, positions;
};
// `step` and `outer_step`: bytes from one base to the next, in the inner and in the outer loop.
// Example: for (i < 6) for (j < i) of step 4 and outer_step 8, modulo 8 bytes: cycle 2,
// positions 2.
BANKMODEL_FN repetition repetition_of(const moving_trips& trips, long long step,
                                      long long outer_step, long long bytes) {
  const long long cycle = bytes / greatest_common_divisor(bytes, step),
                  modulus = trips.divisor * cycle,
                  of_base = bytes / greatest_common_divisor(bytes, outer_step),
                  of_trips = modulus / greatest_common_divisor(modulus, trips.slope);
  return {cycle, of_base / greatest_common_divisor(of_base, of_trips) * of_trips};
}

// Gives them to the taker. loops[depth] has the step of the inner loop, the elements before it are
// the loops beside the two. The work does not grow with the trips.
// Requires: the taker has a modulus.
// Example: in the example above, the even i have 0, 1 and 2 cycles; the odd ones have 0, 1 and 2
// cycles and 1 iteration.
BANKMODEL_FN void add_triangle(const lane_pattern& lanes, long long base, progression* loops,
                               int depth, const interval& inner, const interval& outer,
                               long long outer_step, const repetition& repeats, std::uint64_t times,
                               request_taker& taker) {
  const long long positions = repeats.positions;
  for (long long position = 0; position < positions && position < outer.trips; ++position) {
    const long long count = (outer.trips - position - 1) / positions + 1,
                    first = outer.begin + position, end = inner.trips_at.trips(first),
                    increment = count == 1 ? 0 : inner.trips_at.trips(first + positions) - end;
    repeated_trips parts[3];
    split_into_cycles(end, increment, count, inner.begin, inner.begin + inner.trips, repeats.cycle,
                      parts);
    if (taker.source != nullptr) taker.source->begin = first, taker.source->spacing = positions;
    for (const repeated_trips& part : parts) {
      if (part.trips == 0 || part.times == 0) continue;
      loops[depth].trips = part.trips;
      taker.add(lanes, base + outer_step * position, loops, depth + 1,
                checked_count_product(times, part.times));
    }
  }
}

}  // namespace bankmodel::detail

#endif
