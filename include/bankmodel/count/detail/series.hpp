// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_SERIES_HPP
#define BANKMODEL_COUNT_DETAIL_SERIES_HPP

#include <bankmodel/core/arithmetic.hpp>

// Sums over arithmetic progressions in closed form: the trips of the inner one of two loops in all.
namespace bankmodel::detail {

// 0 + 1 + .. + (count - 1).
BANKMODEL_FN std::uint64_t sum_below(std::uint64_t count) {
  if (count == 0) return 0;
  return count % 2 == 0 ? checked_count_product(count / 2, count - 1)
                        : checked_count_product(count, (count - 1) / 2);
}

// Returns the sum of (start + slope * x) / divisor, rounded down, for x in [0, count). Each round
// removes the whole multiples and exchanges slope and divisor, as Euclid's algorithm does.
// Requires: nothing is negative, divisor >= 1.
// Example: count 4, start 1, slope 2, divisor 3: 1 / 3 + 3 / 3 + 5 / 3 + 7 / 3 = 4.
BANKMODEL_FN std::uint64_t sum_of_quotients(std::uint64_t count, std::uint64_t start,
                                            std::uint64_t slope, std::uint64_t divisor) {
  std::uint64_t sum = 0;
  while (count != 0) {
    if (slope >= divisor)
      sum = checked_count_sum(sum, checked_count_product(sum_below(count), slope / divisor));
    sum = checked_count_sum(sum, checked_count_product(count, start / divisor));
    slope %= divisor;
    start %= divisor;
    const std::uint64_t end = checked_count_sum(checked_count_product(slope, count), start);
    if (end < divisor) break;
    count = end / divisor;
    start = end % divisor;
    const std::uint64_t former = divisor;
    divisor = slope;
    slope = former;
  }
  return sum;
}

// The trips of a loop that depend on an outer loop: (start + slope * x) / divisor, rounded down, at
// position x of the outer loop.
struct moving_trips {
  long long start, slope, divisor;

  BANKMODEL_FN long long trips(long long x) const {
    return checked_add(start, checked_multiply(slope, x)) / divisor;
  }

  // Returns the sum of min(cap, max(0, trips(x))) for x in [first, first + count).
  // Requires: trips(x) >= 0 for these x, unless divisor is 1.
  BANKMODEL_FN std::uint64_t sum(long long first, long long count, long long cap) const {
    if (cap <= 0 || count <= 0) return 0;
    long long term = checked_add(start, checked_multiply(slope, first)), increment = slope;
    if (increment < 0) {  // the same terms in the other order
      term = checked_add(term, checked_multiply(increment, count - 1));
      increment = -increment;
    }
    const long long full =
        divisor == 1 ? cap : checked_multiply(cap, divisor);  // terms are `cap` from this value on
    if (increment == 0) {
      const long long value = term <= 0 ? 0 : term >= full ? cap : term / divisor;
      return checked_count_product(static_cast<std::uint64_t>(value),
                                   static_cast<std::uint64_t>(count));
    }
    // Terms are 0 before `begin`, and `cap` from `end` on.
    long long begin = term > 0 ? 0 : -term / increment + 1,
              end = term >= full ? 0 : (checked_subtract(full, term) - 1) / increment + 1;
    if (begin > count) begin = count;
    if (end > count) end = count;
    const auto terms = static_cast<std::uint64_t>(end - begin);
    std::uint64_t partial_sum = 0;
    if (divisor != 1) {
      partial_sum = sum_of_quotients(terms, static_cast<std::uint64_t>(term + increment * begin),
                                     static_cast<std::uint64_t>(increment),
                                     static_cast<std::uint64_t>(divisor));
    } else if (terms != 0) {
      const auto ends = static_cast<std::uint64_t>(term + increment * begin) +
                        static_cast<std::uint64_t>(term + increment * (end - 1));
      partial_sum = terms % 2 == 0 ? checked_count_product(terms / 2, ends)
                                   : checked_count_product(terms, ends / 2);
    }
    if (end == count) return partial_sum;
    return checked_count_sum(partial_sum,
                             checked_count_product(static_cast<std::uint64_t>(cap),
                                                   static_cast<std::uint64_t>(count - end)));
  }
};

// Loops of `trips` iterations, `times` of them.
struct repeated_trips {
  long long trips;
  std::uint64_t times;
};

// Splits the iterations low, low + 1, .. of `count` loops, which end before first + increment * k
// for k in [0, count) and before `high`, into whole cycles and remainders. Writes three elements:
// the remainders, the whole cycles of all loops, and the loops that reach `high`.
// Requires: `increment` is a multiple of `cycle`, low < high.
// Example: ends 3, 7, 11 (first 3, increment 4, count 3), low 0, high 8, cycle 2: remainders of 1
// iteration, 2 times; cycles of 2, 1 + 3 = 4 times; 8 iterations, once.
BANKMODEL_FN void split_into_cycles(long long first, long long increment, long long count,
                                    long long low, long long high, long long cycle,
                                    repeated_trips* parts) {
  if (increment < 0) {  // the same loops in the other order
    first += increment * (count - 1);
    increment = -increment;
  }
  const long long never = count;
  long long begin = first > low      ? 0
                    : increment == 0 ? never
                                     : (low - first) / increment + 1,
            end = first >= high    ? 0
                  : increment == 0 ? never
                                   : (high - first - 1) / increment + 1;
  begin = begin < count ? begin : count;
  end = end < count ? end : count;
  const auto partial_loops = static_cast<std::uint64_t>(end - begin);
  const long long shortest = partial_loops == 0 ? 0 : first + increment * begin - low;
  parts[0] = {shortest % cycle, partial_loops};
  parts[1] = {
      cycle, checked_count_sum(
                 checked_count_product(partial_loops, static_cast<std::uint64_t>(shortest / cycle)),
                 checked_count_product(sum_below(partial_loops),
                                       static_cast<std::uint64_t>(increment / cycle)))};
  parts[2] = {high - low, static_cast<std::uint64_t>(count - end)};
}

}  // namespace bankmodel::detail

#endif
