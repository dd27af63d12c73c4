// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_INTEROP_CUDA_OXIDE_HPP
#define BANKMODEL_INTEROP_CUDA_OXIDE_HPP

#include <bankmodel/interop/detail/one_xor.hpp>

namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void cuda_oxide_must_read_bits_above_those_it_changes(long long B,
                                                                                long long M,
                                                                                long long S) {
  detail::fail(__func__,
               "Swizzle<%, %, %> with S an absolute position: cuda-oxide requires M + B <= S, none "
               "negative, so it cannot say what "
               "CuTe's negative shifts do",
               B, M, S);
}
}  // namespace rule

namespace cuda_oxide {

// Swizzle<B, M, S> with an absolute shift: of an offset in elements, B bits from S on are XORed
// into those from M on. S counts from bit 0, not from M: CuTe's Swizzle<B, M, S> is Swizzle<B, M,
// M + S> here. Required: M + B <= S.
//   cuda_oxide::swizzle{3, 4, 7} takes offset 128 to 144
// Source: NVlabs/cuda-oxide, crates/cuda-device/src/swizzle.rs, struct Swizzle and what its
// comment says of CuTe's.
struct swizzle {
  int B = 0, M = 0, S = 0;
  bool operator==(const swizzle&) const = default;
};

}  // namespace cuda_oxide

// The swizzle with an absolute shift that puts each element where the layout does; {0, 0, 0} where
// nothing moves. Refused: what to_cute() refuses, and bits that are changed by lower ones (CuTe's
// negative shifts).
//   to_cuda_oxide(row_major(64, 64).permuted(xor_swizzle(3, 3, 3))) is {3, 3, 6}
BANKMODEL_FN cuda_oxide::swizzle to_cuda_oxide(const layout& l) {
  detail::xor_of_bits found = detail::one_xor_of(l);
  if (found.from < found.to) found = found.seen_below(detail::numbers_of(l));
  if (found.from < found.to)
    rule::cuda_oxide_must_read_bits_above_those_it_changes(found.bits, found.to, found.from);
  return {found.bits, found.to, found.from};
}

// The array with its elements so swizzled. Refused: numbers that cuda-oxide refuses, more than 30
// bits, an array that is not plain.
//   from_cuda_oxide({5, 0, 5}, row_major(32, 32))(1, 1) is 32
BANKMODEL_FN layout from_cuda_oxide(const cuda_oxide::swizzle& from, const layout& array) {
  detail::require_plain(array);
  if (from.B < 0 || from.M < 0 || from.S < 0 || from.B > from.S || from.M > from.S - from.B)
    rule::cuda_oxide_must_read_bits_above_those_it_changes(from.B, from.M, from.S);
  return from.B == 0 ? array : array.permuted(xor_swizzle(from.B, from.M, from.S - from.M));
}

}  // namespace bankmodel

#endif
