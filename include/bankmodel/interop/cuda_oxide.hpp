// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_INTEROP_CUDA_OXIDE_HPP
#define BANKMODEL_INTEROP_CUDA_OXIDE_HPP

#include <bankmodel/interop/detail/one_xor.hpp>

#include <bankmodel/core/hide_macros.hpp>

namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void cuda_oxide_must_read_bits_above_those_it_changes(long long B,
                                                                                long long M,
                                                                                long long S) {
  detail::fail(__func__,
               "Swizzle<%, %, %> with S an absolute position: cuda-oxide requires M + B <= S, none "
               "negative; CuTe's negative shifts have no counterpart here",
               B, M, S);
}
}  // namespace rule

namespace cuda_oxide {

// Swizzle<B, M, S> with an absolute shift: in an offset in elements, the B bits from bit S on are
// XORed into the B bits from bit M on. S counts from bit 0, not from M: CuTe's Swizzle<B, M, S> is
// Swizzle<B, M, M + S> here.
// Requires: M + B <= S.
// Example:
//
//   static_assert(from_cuda_oxide({3, 4, 7}, row_major(1024))(128) == 144);
//
// Source: NVlabs/cuda-oxide, crates/cuda-device/src/swizzle.rs, struct Swizzle and its comment on
// CuTe.
struct swizzle {
  int B = 0, M = 0, S = 0;
  bool operator==(const swizzle&) const = default;
};

}  // namespace cuda_oxide

// Returns the swizzle with an absolute shift that stores each element where the layout does;
// {0, 0, 0} if no element moves.
// Error: an error of to_cute(); lower bits change higher ones (CuTe's negative shifts).
// Example:
//
//   static_assert(to_cuda_oxide(row_major(64, 64).permuted(xor_swizzle(3, 3, 3))) ==
//                 cuda_oxide::swizzle{3, 3, 6});
BANKMODEL_FN cuda_oxide::swizzle to_cuda_oxide(const layout& l) {
  detail::xor_of_bits bit_xor = detail::one_xor_of(l);
  if (bit_xor.source_bit < bit_xor.target_bit) bit_xor = bit_xor.seen_below(detail::numbers_of(l));
  if (bit_xor.source_bit < bit_xor.target_bit)
    rule::cuda_oxide_must_read_bits_above_those_it_changes(bit_xor.bits, bit_xor.target_bit,
                                                           bit_xor.source_bit);
  return {bit_xor.bits, bit_xor.target_bit, bit_xor.source_bit};
}

// Returns the array with this swizzle applied.
// Error: cuda-oxide does not allow the numbers; the swizzle uses more than 30 bits; the array is
// padded or permuted already.
// Example:
//
//   static_assert(from_cuda_oxide({5, 0, 5}, row_major(32, 32))(1, 1) == 32);
BANKMODEL_FN layout from_cuda_oxide(const cuda_oxide::swizzle& numbers, const layout& array) {
  detail::require_plain(array);
  if (numbers.B < 0 || numbers.M < 0 || numbers.S < 0 || numbers.B > numbers.S ||
      numbers.M > numbers.S - numbers.B)
    rule::cuda_oxide_must_read_bits_above_those_it_changes(numbers.B, numbers.M, numbers.S);
  return numbers.B == 0 ? array
                        : array.permuted(xor_swizzle(numbers.B, numbers.M, numbers.S - numbers.M));
}

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
