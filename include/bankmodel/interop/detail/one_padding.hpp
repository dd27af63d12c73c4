// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_INTEROP_DETAIL_ONE_PADDING_HPP
#define BANKMODEL_INTEROP_DETAIL_ONE_PADDING_HPP

#include <bankmodel/interop/detail/numbers.hpp>

// Common to Triton's padding and TVM's alignment: unused elements after every `interval` numbers.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void padding_of_a_dialect_must_follow_whole_rows(long long padding,
                                                                           long long interval,
                                                                           long long row) {
  detail::fail(
      __func__,
      "padding of % elements after every % of an array with rows of %; pad after whole rows or "
      "planes, or by a multiple of the interval, or describe the array with one dimension",
      padding, interval, row);
}
}  // namespace rule

namespace detail {

// `padding` unused elements after every `interval` numbers.
struct padding_at_intervals {
  long long interval, padding;
  BANKMODEL_FN long long operator()(long long number) const {
    return number + number / interval * padding;
  }
};

// The layout of a plain array with this padding.
BANKMODEL_FN layout padded_by_numbers(const layout& array, const padding_at_intervals& by) {
  const long long count = numbers_of(array);
  if (by.interval >= count || by.padding == 0) return array;
  if (array.rank == 1) return array.padded_every(by.interval, by.padding);
  long long behind = 1;  // elements of one coordinate of dimension d
  for (int d = array.rank - 1; d >= 0; behind *= array.extent[d--])
    if (behind == by.interval && d < array.rank - 1) return array.padded(by.padding, d);
  // Groups within rows, a multiple of their own size from one to the next.
  if (array.rank == 2 && is_power_of_two(by.interval) && array.extent[1] % by.interval == 0 &&
      by.padding % by.interval == 0 && by.interval <= 1 << 30) {
    const long long apart = 1 + by.padding / by.interval;
    return array.permuted(
        modular_in_a_box({apart, 0, 0, apart}).in_groups_of(static_cast<int>(by.interval)));
  }
  // The padding is so large that the sum has no carries: an XOR.
  if (by.padding >= count && is_power_of_two(by.padding) && is_power_of_two(by.interval)) {
    const int from = trailing_zeros(static_cast<std::uint64_t>(by.interval)),
              to = trailing_zeros(static_cast<std::uint64_t>(by.padding));
    return array.permuted(xor_swizzle(
        highest_bit(static_cast<std::uint64_t>((count - 1) / by.interval)) + 1, from, from - to));
  }
  rule::padding_of_a_dialect_must_follow_whole_rows(by.padding, by.interval,
                                                    array.extent[array.rank - 1]);
}

}  // namespace detail
}  // namespace bankmodel

#endif
