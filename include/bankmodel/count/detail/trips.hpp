// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_TRIPS_HPP
#define BANKMODEL_COUNT_DETAIL_TRIPS_HPP

#include <bankmodel/kernel/loop.hpp>
#include <bankmodel/model/service.hpp>

// The values and the trips of a loop whose bounds and step are numbers.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void powers_must_have_a_direction(long long first, long long last) {
  detail::fail(__func__,
               "powers() from % to %, with bounds that are not constants, has no direction; write "
               "powers_down, or powers_up for no iteration",
               first, last);
}
[[noreturn]] BANKMODEL_FN void powers_must_end(long long first, long long last) {
  detail::fail(
      __func__,
      "powers from % to % never end; let rising powers start at 1 or more, and falling powers "
      "end at 0 or more",
      first, last);
}
}  // namespace rule

namespace detail {

// The loop variable's next value.
BANKMODEL_FN long long next(wrapper_kind kind, long long value, long long step) {
  return same(kind, wrapper_kind::range)         ? value + step
         : same(kind, wrapper_kind::powers_down) ? value / step
                                                 : value * step;
}

// Returns the trips of a range or powers loop. Error: it has no end, or no direction.
BANKMODEL_FN long long trips_of(wrapper_kind kind, long long first, long long last,
                                long long step) {
  if (same(kind, wrapper_kind::range)) {
    if (step == 0) rule::step_must_not_be_zero();
    if (step > 0) return first >= last ? 0 : (checked_subtract(last, first) - 1) / step + 1;
    const auto decrement =
        0 - static_cast<std::uint64_t>(step);  // also of int64_min, which has no opposite
    return first <= last
               ? 0
               : static_cast<long long>(
                     (static_cast<std::uint64_t>(checked_subtract(first, last)) - 1) / decrement) +
                     1;
  }
  if (step < 2) rule::factor_must_be_two_or_more(step);
  if (same(kind, wrapper_kind::powers) && first > last)
    rule::powers_must_have_a_direction(first, last);
  long long trips = 0;
  if (same(kind, wrapper_kind::powers_down)) {
    if (first > last && last < 0) rule::powers_must_end(first, last);
    for (long long value = first; value > last; value /= step) ++trips;
  } else {
    if (first < last && first < 1) rule::powers_must_end(first, last);
    for (long long value = first; value < last; value *= step) {
      ++trips;
      if (value > (last - 1) / step) break;  // the next one is not below `last`, and may not fit
    }
  }
  return trips;
}

}  // namespace detail
}  // namespace bankmodel

#endif
