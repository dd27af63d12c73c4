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
BANKMODEL_FN layout padded_by_numbers(const layout& array, const padding_at_intervals& pad) {
  const long long count = numbers_of(array);
  if (pad.interval >= count || pad.padding == 0) return array;
  if (array.rank == 1) return array.padded_every(pad.interval, pad.padding);
  long long volume = 1;  // elements of one coordinate of dimension d
  for (int d = array.rank - 1; d >= 0; volume *= array.extent[d--])
    if (volume == pad.interval && d < array.rank - 1) return array.padded(pad.padding, d);
  // Groups within rows, a multiple of their own size from one to the next.
  if (array.rank == 2 && is_power_of_two(pad.interval) && array.extent[1] % pad.interval == 0 &&
      pad.padding % pad.interval == 0 && pad.interval <= 1 << 30) {
    const long long factor = 1 + pad.padding / pad.interval;
    return array.permuted(
        modular_in_a_box({factor, 0, 0, factor}).in_groups_of(static_cast<int>(pad.interval)));
  }
  // The padding is so large that the sum has no carries: an XOR.
  if (pad.padding >= count && is_power_of_two(pad.padding) && is_power_of_two(pad.interval)) {
    const int source_bit = trailing_zeros(static_cast<std::uint64_t>(pad.interval)),
              target_bit = trailing_zeros(static_cast<std::uint64_t>(pad.padding));
    return array.permuted(
        xor_swizzle(highest_bit(static_cast<std::uint64_t>((count - 1) / pad.interval)) + 1,
                    source_bit, source_bit - target_bit));
  }
  rule::padding_of_a_dialect_must_follow_whole_rows(pad.padding, pad.interval,
                                                    array.extent[array.rank - 1]);
}

}  // namespace detail
}  // namespace bankmodel

#endif
