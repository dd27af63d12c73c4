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
  BANKMODEL_FN void set(int bit, unsigned column) {
    const auto word = static_cast<std::uint64_t>(columns[bit / 4]),
               mask = std::uint64_t{0xffff} << (bit % 4 * 16);
    columns[bit / 4] = static_cast<long long>(
        (word & ~mask) | (static_cast<std::uint64_t>(column) << (bit % 4 * 16)));
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

BANKMODEL_FN long long moved_by(const bit_matrix& matrix, long long number) {
  unsigned result = 0;
  for (int bit = 0; number >> bit != 0; ++bit)
    if ((number >> bit & 1) != 0) result ^= matrix[bit];
  return result;
}

// The inverse of the first `bits` columns; the zero matrix if there is none.
BANKMODEL_FN bit_matrix inverse_of(bit_matrix matrix, int bits) {
  bit_matrix result = identity_matrix(bits);
  for (int bit = 0; bit < bits; ++bit) {
    int pivot = bit;
    while (pivot < bits && (matrix[pivot] >> bit & 1) == 0) ++pivot;
    if (pivot == bits) return {};
    const unsigned pivot_column = matrix[pivot], result_column = result[pivot];
    matrix.set(pivot, matrix[bit]);
    result.set(pivot, result[bit]);
    matrix.set(bit, pivot_column);
    result.set(bit, result_column);
    for (int other = 0; other < bits; ++other)
      if (other != bit && (matrix[other] >> bit & 1) != 0) {
        matrix.set(other, matrix[other] ^ pivot_column);
        result.set(other, result[other] ^ result_column);
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
  BANKMODEL_FN static void place(const layout& array_layout, element_to_place& element) {
    const bit_matrix matrix{array_layout.permutation.number};
    if (!element.is_written())
      return element.set_number(element.constant(moved_by(matrix, element.number().value)));
    unsigned columns[16] = {};
    for (int bit = 0; bit < bits_of(array_layout); ++bit) columns[bit] = matrix[bit];
    linear_terms(array_layout, columns).write(element);
  }

  BANKMODEL_FN static four coordinates(const layout& array_layout, long long place) {
    constexpr four none{-1, 0, 0, 0};
    if (place < 0 || place >= size(array_layout)) return none;
    return without_permutation(array_layout)
        .coordinates(
            moved_by(inverse_of({array_layout.permutation.number}, bits_of(array_layout)), place));
  }
  BANKMODEL_FN static long long kept_together(const layout& array_layout) {
    const bit_matrix matrix{array_layout.permutation.number};
    long long group_size = 16;
    for (int bit = 0; bit < 16; ++bit)
      for (; group_size > 1; group_size /= 2)
        if (1 << bit < group_size ? matrix[bit] == 1u << bit
                                  : matrix[bit] % static_cast<unsigned>(group_size) == 0)
          break;
    return group_size;
  }
  BANKMODEL_FN static void require(const layout& array_layout) {
    if (!fits_linear_layouts(without_permutation(array_layout)))
      rule::linear_layouts_must_be_of_powers_of_two_without_padding(size(array_layout));
    const bit_matrix matrix{array_layout.permutation.number};
    const int bits = bits_of(array_layout);
    for (int bit = 0; bit < 16; ++bit)
      if (bit < bits ? matrix[bit] >> bits != 0 : matrix[bit] != 0)
        rule::a_linear_layout_must_be_one_to_one(bits);
    if (inverse_of(matrix, bits) == bit_matrix{}) rule::a_linear_layout_must_be_one_to_one(bits);
  }

 private:
  BANKMODEL_FN static int bits_of(const layout& array_layout) {
    return trailing_zeros(static_cast<std::uint64_t>(size(array_layout)));
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
BANKMODEL_FN permutation linear(const bit_matrix& matrix) {
  return {layout_family::linear, 0, 1, matrix.columns,
          &detail::any_family::functions<detail::linear_family>};
}

}  // namespace bankmodel

#endif
