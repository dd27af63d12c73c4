// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_FAMILIES_XOR_SWIZZLE_HPP
#define BANKMODEL_LAYOUT_FAMILIES_XOR_SWIZZLE_HPP

#include <bankmodel/layout/family.hpp>

namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void a_swizzle_must_move_bits_from_elsewhere(long long bits,
                                                                       long long base,
                                                                       long long shift) {
  detail::fail(__func__,
               "xor_swizzle(%, %, %); use 1 bit or more, a base of 0 or more, a shift that is at "
               "least the number of bits, up or down, and at most 30 bits in total",
               bits, base, shift);
}
[[noreturn]] BANKMODEL_FN void a_swizzle_of_bytes_must_keep_elements_whole(
    long long base, long long element_bytes) {
  detail::fail(__func__,
               "a swizzle of bytes with base % changes bits within elements of % bytes; use "
               "elements with a power of two of bytes, and at least its logarithm as base",
               base, element_bytes);
}
[[noreturn]] BANKMODEL_FN void a_copy_engine_must_swizzle_32_64_or_128_bytes(long long bytes) {
  detail::fail(__func__, "there is no swizzle mode of % bytes; use 32, 64 or 128", bytes);
}
}  // namespace rule

namespace detail {

struct xor_numbers {
  int source_bit, target_bit;  // the lowest of the bits that are read, and of those that change
  long long mask;              // of the bits, not yet shifted
  long long block;             // elements between two multiples of this stay between them
};
BANKMODEL_FN xor_numbers numbers_of_xor(int bits, int target_bit, int source_bit) {
  return {source_bit, target_bit, (1ll << bits) - 1, 1ll << (target_bit + bits)};
}
BANKMODEL_FN xor_numbers numbers_of_xor(const permutation& p) {
  const int bits = static_cast<int>(p.number[0]), base = static_cast<int>(p.number[1]),
            shift = static_cast<int>(p.number[2]);
  const int read_bit = shift > 0 ? base + shift : base,
            changed_bit = shift > 0 ? base : base - shift;
  return numbers_of_xor(bits, changed_bit, read_bit);
}

struct xor_family : family<xor_family> {
  // In a program the XOR is one of columns, t[r][c ^ r], if possible.
  BANKMODEL_FN static void place(const layout& array_layout, element_to_place& item) {
    const xor_numbers bits = numbers_of_xor(array_layout.permutation);
    const int d = item.is_written() ? dimension_of_changing_bits(array_layout, bits) : -1;
    if (d < 0)
      return item.set_number(item.number() ^
                             (((item.number() >> bits.source_bit) & bits.mask) << bits.target_bit));
    const int shift =
        bits.source_bit - trailing_zeros(static_cast<std::uint64_t>(array_layout.stride[d]));
    item.set_column(item.column() ^
                    (((item.coordinate(d) >> shift) & bits.mask) << bits.target_bit));
  }

  BANKMODEL_FN static four coordinates(const layout& array_layout, long long place) {
    constexpr four none{-1, 0, 0, 0};
    if (place < 0 || place >= size(array_layout)) return none;
    const xor_numbers bits = numbers_of_xor(array_layout.permutation);  // it is its own inverse
    return without_permutation(array_layout)
        .coordinates(place ^ (((place >> bits.source_bit) & bits.mask) << bits.target_bit));
  }
  BANKMODEL_FN static long long size(const layout& array_layout) {
    const long long block = numbers_of_xor(array_layout.permutation).block;
    return checked_add(family::size(array_layout), block - 1) / block * block;
  }
  // Groups of numbers: rows may start within a group.
  BANKMODEL_FN static long long kept_together(const layout& array_layout) {
    long long neighbours = array_layout.permutation.group;
    for (int d = 0; d < array_layout.rank - 1; ++d)
      while (array_layout.stride[d] % neighbours != 0) neighbours /= 2;
    return neighbours;
  }
  BANKMODEL_FN static void require(const layout&) {}

 private:
  // The dimension whose coordinate contains all bits that are read, if only bits of the column
  // change; else -1.
  BANKMODEL_FN static int dimension_of_changing_bits(const layout& array_layout,
                                                     const xor_numbers& bits) {
    for (int d = 0; d < array_layout.rank - 1; ++d)
      if (array_layout.stride[d] % bits.block != 0) return -1;
    for (int d = array_layout.rank - 1; d >= 0; --d) {
      bool is_apart = is_power_of_two(array_layout.stride[d]) &&
                      array_layout.stride[d] <= 1ll << bits.source_bit;
      for (int outer = 0; outer < d; ++outer)
        is_apart =
            is_apart && array_layout.stride[outer] % ((bits.mask + 1) << bits.source_bit) == 0;
      if (is_apart) return d;
    }
    return -1;
  }
};

}  // namespace detail

// Returns an XOR swizzle, as CuTe's Swizzle<bits, base, shift>: in an element's number, the `bits`
// bits from bit `base` on are XORed with the bits `shift` places above them. With a negative shift,
// the bits -shift places above are XORed with those from `base` on.
//
//   number  ....YYY..ZZZ....      Z: bits that change, Y: bits that change them
//                  |    |base     xor_swizzle(3, 4, 5): Z is bits 4 to 6, Y bits 9 to 11
//                  |shift
//
//   xor_swizzle(5, 0, 5) of float t[32][32]: t[r][c] is stored at the place of t[r][c ^ r]
//   row 0   0 1 2 3 ..            row 1   1 0 3 2 ..           row 2   2 3 0 1 ..
//
// 2^base neighbours stay together. It is its own inverse. Instructions: see index_instructions().
// Error: `bits` is below 1; the shift is less than `bits` (bits would change themselves); there are
// more than 30 bits in total.
BANKMODEL_FN permutation xor_swizzle(int bits, int base, int shift) {
  const int distance = shift < 0 ? -shift : shift;
  if (bits < 1 || base < 0 || bits > 30 || base > 30 || distance > 30 || distance < bits ||
      base + distance + bits > 30)
    rule::a_swizzle_must_move_bits_from_elsewhere(bits, base, shift);
  return {layout_family::xor_swizzle,
          0,
          1 << base,
          {bits, base, shift, 0},
          &detail::any_family::functions<detail::xor_family>};
}

// The same for the number of a byte: of floats, (3, 4, 3) is xor_swizzle(3, 2, 3).
// Error: the swizzle changes bits within an element.
BANKMODEL_FN permutation xor_swizzle_in_bytes(int bits, int base, int shift, int element_bytes) {
  const int inner_bits = element_bytes > 0 && detail::is_power_of_two(element_bytes)
                             ? detail::trailing_zeros(static_cast<std::uint64_t>(element_bytes))
                             : 31;
  if (base < inner_bits) rule::a_swizzle_of_bytes_must_keep_elements_whole(base, element_bytes);
  return xor_swizzle(bits, base - inner_bits, shift);
}

// Returns the swizzle of the copy engine (TMA) in its mode of 32, 64 or 128 bytes. In each 128
// bytes, the numbers of the chunks of 16 bytes are XORed with the number of the 128 bytes, modulo
// 2, 4 or 8: (1, 4, 3), (2, 4, 3) and (3, 4, 3) in bytes.
// Requires: the array begins at a multiple of 256, 512 or 1024 bytes (not checked).
// Source: CUDA C++ programming guide, tensor memory access, swizzle modes; CuTe's
// Swizzle<1..3, 4, 3>.
BANKMODEL_FN permutation copy_engine_swizzle(int mode_bytes, int element_bytes) {
  if (mode_bytes != 32 && mode_bytes != 64 && mode_bytes != 128)
    rule::a_copy_engine_must_swizzle_32_64_or_128_bytes(mode_bytes);
  return xor_swizzle_in_bytes(mode_bytes == 32 ? 1 : mode_bytes == 64 ? 2 : 3, 4, 3, element_bytes);
}

}  // namespace bankmodel

#endif
