// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_TRIANGLE_HPP
#define BANKMODEL_COUNT_DETAIL_TRIANGLE_HPP

#include <bankmodel/count/detail/loop_intervals.hpp>
#include <bankmodel/count/detail/request_taker.hpp>

// The requests of a loop whose trips vary with an outer loop, if the base matters.
namespace bankmodel::detail {

// Gives them to the taker. loops[depth] has the step of the inner loop, the elements before it are
// the loops beside the two; `outer_step` is the distance in bytes of the bases at two positions of
// the outer loop.
// Modulo the taker's bytes, the bases of the inner loop repeat after `cycle` iterations. After
// `repeat` positions of the outer loop the base is the same again, and the inner loop has a
// multiple of `cycle` more iterations. So the work does not grow with the trips.
// Requires: the taker has a modulus.
// Example: for (i < 6) for (j < i) a[2 * i + j] of float by one lane, modulo 8 bytes: cycle 2,
// repeat 2. The even i have 0, 1 and 2 cycles; the odd ones have 0, 1 and 2 cycles and 1 iteration.
BANKMODEL_FN void add_triangle(const lane_pattern& lanes, long long base, progression* loops,
                               int depth, const interval& inner, const interval& outer,
                               long long outer_step, std::uint64_t times, request_taker& to) {
  const moving_trips& trips = inner.trips_at;
  const long long bytes = to.modulus(),
                  cycle = bytes / greatest_common_divisor(bytes, loops[depth].step),
                  all = trips.divisor * cycle,
                  of_base = bytes / greatest_common_divisor(bytes, outer_step),
                  of_trips = all / greatest_common_divisor(all, trips.slope);
  const long long repeat = of_base / greatest_common_divisor(of_base, of_trips) * of_trips;
  for (long long at = 0; at < repeat && at < outer.trips; ++at) {
    const long long count = (outer.trips - at - 1) / repeat + 1, first = outer.at + at,
                    end = trips.at(first), by = count == 1 ? 0 : trips.at(first + repeat) - end;
    repeated_trips parts[3];
    split_into_cycles(end, by, count, inner.at, inner.at + inner.trips, cycle, parts);
    for (const repeated_trips& part : parts) {
      if (part.trips == 0 || part.times == 0) continue;
      loops[depth].trips = part.trips;
      to.add(lanes, base + outer_step * at, loops, depth + 1,
             checked_count_product(times, part.times));
    }
  }
}

}  // namespace bankmodel::detail

#endif
