// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_FAMILIES_LINEAR_HPP
#define BANKMODEL_LAYOUT_FAMILIES_LINEAR_HPP

#include <bankmodel/layout/detail/linear_terms.hpp>

namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void a_linear_layout_must_be_one_to_one(long long bits) {
  detail::fail(__func__,
               "the bit matrix of a linear layout is not invertible on % bits; set exactly that "
               "many linearly independent columns",
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

// A square matrix over the bits of an element's number, at most 16: column b is the image of bit b.
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

// Returns the matrix that maps every bit to itself.
BANKMODEL_FN bit_matrix identity_matrix(int bits) {
  bit_matrix result;
  for (int bit = 0; bit < bits; ++bit) result.set(bit, 1u << bit);
  return result;
}

namespace detail {

BANKMODEL_FN long long moved_by(const bit_matrix& by, long long number) {
  unsigned result = 0;
  for (int bit = 0; number >> bit != 0; ++bit)
    if ((number >> bit & 1) != 0) result ^= by[bit];
  return result;
}

// The inverse of the first `bits` columns; the zero matrix if there is none.
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

// True if an array with these rows may have linear layouts that move an element.
BANKMODEL_FN bool fits_linear_layouts(const layout& rows) {
  const long long size = rows.required_size();
  bool fits = size >= 2 && size <= 65536;
  for (int d = 0; d < rows.rank; ++d)
    fits = fits && is_power_of_two(rows.extent[d]) && (d == rows.rank - 1 || rows.padding(d) == 0);
  return fits;
}

struct linear_family : family<linear_family> {
  // A program has few instructions; a number is moved bit by bit.
  BANKMODEL_FN static void place(const layout& of, element_to_place& at) {
    const bit_matrix by{of.permutation.number};
    if (!at.is_written()) return at.set_number(at.constant(moved_by(by, at.number().value)));
    unsigned columns[16] = {};
    for (int bit = 0; bit < bits_of(of); ++bit) columns[bit] = by[bit];
    linear_terms(of, columns).write(at);
  }

  BANKMODEL_FN static four coordinates(const layout& of, long long place) {
    constexpr four none{-1, 0, 0, 0};
    if (place < 0 || place >= size(of)) return none;
    return without_permutation(of).coordinates(
        moved_by(inverse_of({of.permutation.number}, bits_of(of)), place));
  }
  BANKMODEL_FN static long long kept_together(const layout& of) {
    const bit_matrix by{of.permutation.number};
    long long together = 16;
    for (int bit = 0; bit < 16; ++bit)
      for (; together > 1; together /= 2)
        if (1 << bit < together ? by[bit] == 1u << bit
                                : by[bit] % static_cast<unsigned>(together) == 0)
          break;
    return together;
  }
  BANKMODEL_FN static void require(const layout& of) {
    if (!fits_linear_layouts(without_permutation(of)))
      rule::linear_layouts_must_be_of_powers_of_two_without_padding(size(of));
    const bit_matrix by{of.permutation.number};
    const int bits = bits_of(of);
    for (int bit = 0; bit < 16; ++bit)
      if (bit < bits ? by[bit] >> bits != 0 : by[bit] != 0)
        rule::a_linear_layout_must_be_one_to_one(bits);
    if (inverse_of(by, bits) == bit_matrix{}) rule::a_linear_layout_must_be_one_to_one(bits);
  }

 private:
  BANKMODEL_FN static int bits_of(const layout& of) {
    return trailing_zeros(static_cast<std::uint64_t>(size(of)));
  }
};

}  // namespace detail

// Returns a linear permutation (over GF(2)): the storage offset is the XOR of the matrix columns
// selected by the 1-bits of the row-major index. Every XOR swizzle of such an array is one.
// Requires: extents that are powers of two, no padding.
// Error (when a layout is made): the matrix is not one to one.
//
//   bit_matrix m = identity_matrix(4);
//   m.set(2, 0b0101);
//   m.set(3, 0b1010);
//   const layout t = row_major(4, 4).permuted(linear(m));  // the layout of an XOR swizzle
//   for (int c = 0; c < 4; ++c) assert(t(3, c) == 4 * 3 + (c ^ 3));
//
// The column stored at each place; element [r][c] is stored at [r][c ^ r]:
//
//   0 1 2 3
//   1 0 3 2
//   2 3 0 1
//   3 2 1 0
//
// A bit that moves to several places is a product: element e is stored at e ^ 31 * (e >> 5 & 1).
//
//   bit_matrix product = identity_matrix(10);
//   product.set(5, 63);
//   assert(row_major(1024).permuted(linear(product))(32 + 5) == ((32 + 5) ^ 31));
//
// optimize() finds a matrix for given accesses; with search{.layouts = layouts::linear} it tries no
// other family. The inverse: layout::coordinates(). Instructions: see index_instructions().
// Source: Triton's linear layouts (triton-lang/triton, LinearLayout.h), which map places to
// elements.
BANKMODEL_FN permutation linear(const bit_matrix& of) {
  return {layout_family::linear, 0, 1, of.columns,
          &detail::any_family::functions<detail::linear_family>};
}

}  // namespace bankmodel

#endif
