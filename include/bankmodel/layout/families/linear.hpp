// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_FAMILIES_LINEAR_HPP
#define BANKMODEL_LAYOUT_FAMILIES_LINEAR_HPP

#include <bankmodel/layout/permutation.hpp>

namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void a_linear_layout_must_be_one_to_one(long long bits) {
  detail::fail(__func__,
               "a linear layout of % bits whose columns depend on each other, are more or lead "
               "further; use that many independent ones",
               bits);
}
[[noreturn]] BANKMODEL_FN void linear_layouts_must_be_of_powers_of_two_without_padding(
    long long size) {
  detail::fail(__func__,
               "a linear layout of an array of % elements; use one of 2 to 65536 elements, all "
               "extents powers of two, without padding",
               size);
}
}  // namespace rule

// A square matrix over the bits of an element's number: where each of its bits leads, by itself.
// At most 16 bits.
struct bit_matrix {
  detail::four columns;  // 16 bits for each bit of the number, four in each

  BANKMODEL_FN unsigned operator[](int bit) const {
    return static_cast<unsigned>(static_cast<std::uint64_t>(columns[bit / 4]) >> (bit % 4 * 16)) &
           0xffffu;
  }
  BANKMODEL_FN void set(int bit, unsigned to) {
    const auto all = static_cast<std::uint64_t>(columns[bit / 4]),
               here = std::uint64_t{0xffff} << (bit % 4 * 16);
    columns[bit / 4] =
        static_cast<long long>((all & ~here) | (static_cast<std::uint64_t>(to) << (bit % 4 * 16)));
  }
  bool operator==(const bit_matrix&) const = default;
};

// Each bit where it is.
BANKMODEL_FN bit_matrix identity_matrix(int bits) {
  bit_matrix result;
  for (int bit = 0; bit < bits; ++bit) result.set(bit, 1u << bit);
  return result;
}

// The bits of an element's number, row-major, that are 1 say which columns of the matrix are
// XORed: the number where it lies. For arrays whose extents are powers of two, without padding;
// refused, when a layout is made, where it is not one to one. Every swizzle by XOR of such an
// array is one.
//
//   bit_matrix m = identity_matrix(4); m.set(2, 0b0101); m.set(3, 0b1010);
//   linear(m) of t[4][4]   0 1 2 3      which column lies there, row by row; this one is
//                          xor_swizzle(2, 0, 2) 1 0 3 2 2 3 0 1 3 2 1 0
//
// optimize() makes one for given accesses, with search{.layouts = layouts::linear} no other. The
// inverse: layout::coordinates(). Instructions: see index_instructions(). Source: Triton's linear
// layouts (triton-lang/triton, LinearLayout.h), there from places to elements.
BANKMODEL_FN permutation linear(const bit_matrix& of) {
  return {layout_family::linear, 0, 1, of.columns};
}

namespace detail {

BANKMODEL_FN long long moved_by(const bit_matrix& by, long long number) {
  unsigned result = 0;
  for (int bit = 0; number >> bit != 0; ++bit)
    if ((number >> bit & 1) != 0) result ^= by[bit];
  return result;
}

// A matrix of 0 bits where there is none. `bits`: of it that count.
BANKMODEL_FN bit_matrix inverse_of(bit_matrix of, int bits) {
  bit_matrix result = identity_matrix(bits);
  for (int bit = 0; bit < bits; ++bit) {
    int pivot = bit;
    while (pivot < bits && (of[pivot] >> bit & 1) == 0) ++pivot;
    if (pivot == bits) return {};
    const unsigned there = of[pivot], result_there = result[pivot];
    of.set(pivot, of[bit]);
    result.set(pivot, result[bit]);
    of.set(bit, there);
    result.set(bit, result_there);
    for (int other = 0; other < bits; ++other)
      if (other != bit && (of[other] >> bit & 1) != 0) {
        of.set(other, of[other] ^ there);
        result.set(other, result[other] ^ result_there);
      }
  }
  return result;
}

// The bits that move by `distance` places, up or down: all of a matrix is one shift and mask for
// each distance.
BANKMODEL_FN long long mask_of_distance(const bit_matrix& of, int bits, int distance) {
  long long mask = 0;
  for (int bit = 0; bit < bits; ++bit)
    if (bit + distance >= 0 && bit + distance < bits && (of[bit] >> (bit + distance) & 1) != 0)
      mask |= 1ll << bit;
  return mask;
}

}  // namespace detail
}  // namespace bankmodel

#endif
