// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_INTEROP_DETAIL_ONE_XOR_HPP
#define BANKMODEL_INTEROP_DETAIL_ONE_XOR_HPP

#include <bankmodel/interop/detail/numbers.hpp>

// Common to CuTe, cuda-oxide and Triton: a swizzle is one XOR of neighbouring bits of an element's
// number.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void a_swizzle_of_a_dialect_must_not_pad(long long number,
                                                                   long long place) {
  detail::fail(__func__,
               "element number % is stored at %, but a swizzle cannot pad; put the padding into "
               "the other library's strides, or use to_tvm() or to_triton_padded()",
               number, place);
}
[[noreturn]] BANKMODEL_FN void a_swizzle_of_a_dialect_must_be_one_xor(long long number,
                                                                      long long place,
                                                                      long long expected) {
  detail::fail(__func__,
               "element number % is stored at %, but the only XOR of neighbouring bits that fits "
               "the elements before it would store it at %; use xor_swizzle()",
               number, place, expected);
}
}  // namespace rule

namespace detail {

// The `bits` bits from `source_bit` on are XORed into those from `target_bit` on.
struct xor_of_bits {
  int bits = 0, source_bit = 0, target_bit = 0;
  BANKMODEL_FN long long operator()(long long number) const {
    return number ^ (number >> source_bit & ((1ll << bits) - 1)) << target_bit;
  }
  // Without the bits that are 0 in all numbers below `count`.
  BANKMODEL_FN xor_of_bits seen_below(long long count) const {
    xor_of_bits result = *this;
    while (result.bits > 0 && 1ll << (source_bit + result.bits - 1) >= count) --result.bits;
    return result.bits == 0 ? xor_of_bits{} : result;
  }
};

// The XOR that a layout is. Error: it is not one. An XOR swizzle keeps its own numbers, even for
// bits that its array is too small for; in other layouts the lowest bit that moves determines the
// only XOR that is possible.
BANKMODEL_FN xor_of_bits one_xor_of(const layout& l) {
  if (l.permutation.family == layout_family::xor_swizzle && !has_gaps(l)) {
    const xor_numbers numbers = numbers_of_xor(l.permutation);
    return {static_cast<int>(l.permutation.number[0]), numbers.source_bit, numbers.target_bit};
  }
  const long long count = numbers_of(l);
  xor_of_bits bit_xor;
  long long lowest = 1;
  while (lowest < count && place_of_number(l, lowest) == lowest) lowest *= 2;
  if (lowest < count && is_power_of_two(place_of_number(l, lowest) ^ lowest)) {
    long long source = lowest, target = place_of_number(l, lowest) ^ lowest;
    bit_xor = {1, trailing_zeros(static_cast<std::uint64_t>(source)),
               trailing_zeros(static_cast<std::uint64_t>(target))};
    const int distance = bit_xor.source_bit < bit_xor.target_bit
                             ? bit_xor.target_bit - bit_xor.source_bit
                             : bit_xor.source_bit - bit_xor.target_bit;
    for (source *= 2, target *= 2; bit_xor.bits < distance && source < count &&
                                   place_of_number(l, source) == (source ^ target);
         source *= 2, target *= 2)
      ++bit_xor.bits;
  }
  const long long wrong = disagreement(l, bit_xor);
  if (wrong >= 0 && has_gaps(l))
    rule::a_swizzle_of_a_dialect_must_not_pad(wrong, place_of_number(l, wrong));
  if (wrong >= 0)
    rule::a_swizzle_of_a_dialect_must_be_one_xor(wrong, place_of_number(l, wrong), bit_xor(wrong));
  return bit_xor;
}

}  // namespace detail
}  // namespace bankmodel

#endif
