// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_INTEROP_TRITON_HPP
#define BANKMODEL_INTEROP_TRITON_HPP

#include <bankmodel/interop/detail/one_padding.hpp>
#include <bankmodel/interop/detail/one_xor.hpp>

namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void arrays_of_triton_must_have_extents_of_powers_of_two(
    long long dimension, long long extent) {
  detail::fail(__func__,
               "extent % of the array is %; Triton requires powers of two: use one, or to_tvm() or "
               "to_cute()",
               dimension, extent);
}
[[noreturn]] BANKMODEL_FN void triton_must_swizzle_by_powers_of_two(long long vec,
                                                                    long long perPhase,
                                                                    long long maxPhase) {
  detail::fail(__func__, "vec = %, perPhase = %, maxPhase = %; use powers of two, 1 for none", vec,
               perPhase, maxPhase);
}
[[noreturn]] BANKMODEL_FN void triton_must_swizzle_columns_by_rows(long long source_bit,
                                                                   long long target_bit,
                                                                   long long row) {
  detail::fail(__func__,
               "bit % of an element's number changes bit %, in rows of %; in Triton only row bits "
               "change column bits (of the last two dimensions): use other bits, or to_cute()",
               source_bit, target_bit, row);
}
[[noreturn]] BANKMODEL_FN void triton_must_pad_by_powers_of_two(long long interval,
                                                                long long padding) {
  detail::fail(__func__,
               "an interval of % elements with a padding of %; use powers of two for both",
               interval, padding);
}
[[noreturn]] BANKMODEL_FN void triton_must_pad_at_one_interval(long long number, long long place,
                                                               long long expected) {
  detail::fail(__func__,
               "element number % is stored at %, but the only interval and padding that fit the "
               "elements before it would store it at %; use padding in one dimension and no "
               "permutation",
               number, place, expected);
}
}  // namespace rule

namespace triton {

// The numbers of a SwizzledSharedEncodingAttr whose order is row-major (the last dimension first),
// all in elements. In the last two dimensions, column c of row r is stored at column
//   ((c / vec) ^ (r / perPhase % maxPhase)) * vec + c % vec,
// modulo the number of columns. Other dimensions are not swizzled.
// Requires: powers of two.
// Example: halves [64][64] in CuTe's Swizzle<3, 3, 3>:
//
//   constexpr layout stored = from_triton(triton::swizzled_shared{8, 1, 8}, row_major(64, 64));
//   static_assert(to_cute(stored) == cute::swizzle{3, 3, 3});
//
// Source: triton-lang/triton, TritonGPUAttrDefs.td, SwizzledSharedEncodingAttr; the modulus:
// LinearLayoutConversions.cpp, swizzledSharedToLinearLayout().
struct swizzled_shared {
  long long vec = 1, perPhase = 1, maxPhase = 1;
  bool operator==(const swizzled_shared&) const = default;
};

// One pair [interval:+padding] of a PaddedSharedEncodingAttr with row-major order and no
// permutation, in elements: element number i is stored at i + i / interval * padding. (Triton adds
// up several pairs; here there is one.)
// Requires: powers of two.
// Example:
//
//   static_assert(from_triton(triton::padded_shared{32, 4}, row_major(32, 32))(1, 0) == 36);
//
// Source: triton-lang/triton, TritonGPUAttrDefs.td, PaddedSharedEncodingAttr;
// lib/Dialect/TritonGPU/IR/Dialect.cpp, its verify() and getPaddedSize(): Triton's size does not
// count padding after the last element; layout::size() does.
struct padded_shared {
  long long interval = 1, padding = 1;
  bool operator==(const padded_shared&) const = default;
};

}  // namespace triton

namespace detail {
BANKMODEL_FN void require_powers_of_two(const layout& l) {
  const int dimension = dimension_of_no_power_of_two(l);
  if (dimension >= 0)
    rule::arrays_of_triton_must_have_extents_of_powers_of_two(dimension, l.extent[dimension]);
}
BANKMODEL_FN int exponent_of(long long power) {
  return trailing_zeros(static_cast<std::uint64_t>(power));
}
}  // namespace detail

// Returns the (vec, perPhase, maxPhase) that store each element where the layout does; {1, 1, 1} if
// no element moves.
// Error: an extent is not a power of two; an error of to_cute(); the XOR does not change column
// bits by row bits.
// Example:
//
//   static_assert(to_triton_swizzled(row_major(64, 32).permuted(xor_swizzle(2, 3, 3))) ==
//                 triton::swizzled_shared{8, 2, 4});
BANKMODEL_FN triton::swizzled_shared to_triton_swizzled(const layout& l) {
  detail::require_powers_of_two(l);
  const detail::xor_of_bits bit_xor = detail::one_xor_of(l).seen_below(detail::numbers_of(l));
  if (bit_xor.bits == 0) return {};
  const int columns = detail::exponent_of(l.extent[l.rank - 1]),
            rows = l.rank < 2 ? 0 : detail::exponent_of(l.extent[l.rank - 2]);
  if (bit_xor.source_bit < columns)
    rule::triton_must_swizzle_columns_by_rows(bit_xor.source_bit, bit_xor.target_bit,
                                              1ll << columns);
  const int highest = bit_xor.bits - 1;
  if (bit_xor.source_bit + highest >= columns + rows || bit_xor.target_bit + highest >= columns)
    rule::triton_must_swizzle_columns_by_rows(bit_xor.source_bit + highest,
                                              bit_xor.target_bit + highest, 1ll << columns);
  return {1ll << bit_xor.target_bit, 1ll << (bit_xor.source_bit - columns), 1ll << bit_xor.bits};
}

// Returns the pair of interval and padding that stores each element where the layout does. Without
// padding the interval is the whole array, because a pair of Triton cannot be empty.
// Error: an extent, the interval or the padding is not a power of two; two dimensions are padded;
// the layout is permuted.
// Example:
//
//   static_assert(to_triton_padded(row_major(32, 32).padded(4)) == triton::padded_shared{32, 4});
//   static_assert(to_triton_padded(row_major(1024).padded_every(32, 1)) ==
//                 triton::padded_shared{32, 1});
BANKMODEL_FN triton::padded_shared to_triton_padded(const layout& l) {
  detail::require_powers_of_two(l);
  const long long count = detail::numbers_of(l);
  detail::padding_at_intervals pad{1, 1};
  if (l.interval != 0 && l.interval < count) {
    pad = {l.interval, l.interval_padding};
  } else {
    while (pad.interval < count && detail::place_of_number(l, pad.interval) == pad.interval)
      pad.interval *= 2;
    if (pad.interval < count) pad.padding = detail::place_of_number(l, pad.interval) - pad.interval;
    const long long wrong = detail::disagreement(l, pad);
    if (wrong >= 0)
      rule::triton_must_pad_at_one_interval(wrong, detail::place_of_number(l, wrong), pad(wrong));
  }
  if (!detail::is_power_of_two(pad.interval) || !detail::is_power_of_two(pad.padding))
    rule::triton_must_pad_by_powers_of_two(pad.interval, pad.padding);
  return {pad.interval, pad.padding};
}

// Returns the array with this swizzle, or this padding, applied.
// Error: an extent or a number is not a power of two; the array is padded or permuted already. An
// array of several dimensions is padded after whole rows or planes (in two dimensions within rows
// too, by a multiple of the interval); other intervals are an error. An array of one dimension,
// row_major(elements), can be padded at any interval.
// Example:
//
//   static_assert(from_triton(triton::swizzled_shared{8, 2, 4}, row_major(64, 32))(2, 0) == 72);
//   static_assert(from_triton(triton::padded_shared{32, 4}, row_major(32, 32)) ==
//                 row_major(32, 32).padded(4));
BANKMODEL_FN layout from_triton(const triton::swizzled_shared& encoding, const layout& array) {
  detail::require_plain(array);
  detail::require_powers_of_two(array);
  if (!detail::is_power_of_two(encoding.vec) || !detail::is_power_of_two(encoding.perPhase) ||
      !detail::is_power_of_two(encoding.maxPhase))
    rule::triton_must_swizzle_by_powers_of_two(encoding.vec, encoding.perPhase, encoding.maxPhase);
  if (array.rank < 2) return array;
  const int columns = detail::exponent_of(array.extent[array.rank - 1]),
            target_bit = detail::exponent_of(encoding.vec);
  const int in_columns = columns - target_bit,
            in_rows = detail::exponent_of(array.extent[array.rank - 2]) -
                      detail::exponent_of(encoding.perPhase);
  int bits = detail::exponent_of(encoding.maxPhase);
  if (bits > in_columns) bits = in_columns;
  if (bits > in_rows) bits = in_rows;
  return bits <= 0 ? array
                   : array.permuted(xor_swizzle(
                         bits, target_bit, in_columns + detail::exponent_of(encoding.perPhase)));
}
BANKMODEL_FN layout from_triton(const triton::padded_shared& encoding, const layout& array) {
  detail::require_plain(array);
  detail::require_powers_of_two(array);
  if (!detail::is_power_of_two(encoding.interval) || !detail::is_power_of_two(encoding.padding))
    rule::triton_must_pad_by_powers_of_two(encoding.interval, encoding.padding);
  return detail::padded_by_numbers(array, {encoding.interval, encoding.padding});
}

}  // namespace bankmodel

#endif
