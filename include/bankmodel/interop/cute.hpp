// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_INTEROP_CUTE_HPP
#define BANKMODEL_INTEROP_CUTE_HPP

#include <bankmodel/interop/detail/one_xor.hpp>

#include <bankmodel/core/hide_macros.hpp>

namespace bankmodel {

namespace cute {

// Swizzle<B, M, S>: in an offset, the B bits from bit M + S on are XORed into the B bits from bit M
// on; with a negative S, the bits from M on into those from M - S on. B = 0 moves nothing.
// Requires: B and M are not negative; S is at least B or at most -B.
// Example:
//
//   static_assert(from_cute(cute::swizzle{5, 0, 5}, row_major(32, 32))(1, 1) == 32);
//   static_assert(from_cute(cute::swizzle{3, 4, 3}, row_major(1024))(128) == 144);
//
// Source: NVIDIA/cutlass, include/cute/swizzle.hpp, struct Swizzle.
struct swizzle {
  int B = 0, M = 0, S = 0;
  bool operator==(const swizzle&) const = default;
};

}  // namespace cute

// Returns the CuTe swizzle, with offsets in elements, that stores each element where the layout
// does, as in composition(Swizzle<B, M, S>{}, row-major Layout); {0, 0, 0} if no element moves. The
// layout may be of any family that equals such a swizzle on its array.
// Error (with the number of an element that differs): the layout has padding; it is not one XOR of
// neighbouring bits; it changes bits by bits that it changes too.
// Example:
//
//   static_assert(to_cute(row_major(32, 32).permuted(xor_swizzle(5, 0, 5))) ==
//                 cute::swizzle{5, 0, 5});
//   static_assert(to_cute(row_major(8, 2).permuted(rotation(1))) == cute::swizzle{1, 0, 1});
BANKMODEL_FN cute::swizzle to_cute(const layout& l) {
  const detail::xor_of_bits bit_xor = detail::one_xor_of(l);
  return {bit_xor.bits,
          bit_xor.source_bit < bit_xor.target_bit ? bit_xor.source_bit : bit_xor.target_bit,
          bit_xor.source_bit - bit_xor.target_bit};
}

// The same with offsets in bytes, as CuTe applies it to pointers, and as tensor cores and the copy
// engine use it.
// Example:
//
//   constexpr layout stored = row_major(64, 64).permuted(copy_engine_swizzle(128, 2));
//   static_assert(to_cute_in_bytes(stored, 2) == cute::swizzle{3, 4, 3});
BANKMODEL_FN cute::swizzle to_cute_in_bytes(const layout& l, int element_bytes) {
  const cute::swizzle numbers = to_cute(l);
  if (numbers.B == 0) return numbers;
  if (!detail::is_power_of_two(element_bytes))
    rule::a_swizzle_of_bytes_must_keep_elements_whole(numbers.M, element_bytes);
  return {numbers.B, numbers.M + detail::trailing_zeros(static_cast<std::uint64_t>(element_bytes)),
          numbers.S};
}

// Returns the array with this swizzle applied; its offsets are in elements, or in bytes.
// Error: CuTe does not allow the numbers; the swizzle uses more than 30 bits; the array is padded
// or permuted already; in bytes, the swizzle changes bits within an element.
// Example:
//
//   static_assert(from_cute({5, 0, 5}, row_major(32, 32))(1, 1) == 32);
//   static_assert(from_cute_in_bytes({3, 4, 3}, row_major(64, 64), 2)(1, 0) == 72);
BANKMODEL_FN layout from_cute(const cute::swizzle& numbers, const layout& array) {
  detail::require_plain(array);
  return numbers.B == 0 && numbers.M >= 0
             ? array
             : array.permuted(xor_swizzle(numbers.B, numbers.M, numbers.S));
}
BANKMODEL_FN layout from_cute_in_bytes(const cute::swizzle& numbers, const layout& array,
                                       int element_bytes) {
  detail::require_plain(array);
  return numbers.B == 0 && numbers.M >= 0
             ? array
             : array.permuted(xor_swizzle_in_bytes(numbers.B, numbers.M, numbers.S, element_bytes));
}

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
