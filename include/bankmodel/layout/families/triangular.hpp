// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_FAMILIES_TRIANGULAR_HPP
#define BANKMODEL_LAYOUT_FAMILIES_TRIANGULAR_HPP

#include <bankmodel/layout/families/rotation.hpp>

namespace bankmodel {

// Which of the two a triangular permutation adds the triangular number of.
enum class triangle : unsigned char { of_columns, of_rows };

namespace rule {
[[noreturn]] BANKMODEL_FN void triangles_of_columns_must_have_a_width_of_a_power_of_two(
    long long width) {
  detail::fail(__func__,
               "a triangular permutation of rows of % groups, which would put two into one place; "
               "use a width that is a power of two, or "
               "triangle::of_rows",
               width);
}
}  // namespace rule

// triangle::of_columns: column c of row r lies where (r + c (c + 1) / 2) mod width would. A
// permutation of a row exactly when the width is a power of two; other widths are refused when a
// layout is made. triangle::of_rows: where (c + r (r + 1) / 2) mod width would, for any width;
// down a column of `width` rows it is free of conflicts only for powers of two.
//
//   of_columns of t[4][4]   0 1 3 2     of_rows   0 1 2 3      which column lies there, row by row
//                           2 0 1 3               3 0 1 2
//                           3 2 0 1               1 2 3 0
//                           1 3 2 0               2 3 0 1
//
// The inverses: see inverse_triangular(). Five instructions for single columns of a power of two:
// see index_instructions(). Source: I. Mungiello, third-year presentation, "triangular based
// mapping".
BANKMODEL_FN permutation triangular(triangle of = triangle::of_columns) {
  return {layout_family::triangular,
          static_cast<unsigned char>(of == triangle::of_columns ? 0 : 1),
          1,
          {}};
}

// Each row permuted the other way round: where triangular() puts column c of a row into place p,
// this puts column p into place c.
BANKMODEL_FN permutation inverse_triangular(triangle of = triangle::of_columns) {
  return {layout_family::triangular,
          static_cast<unsigned char>(of == triangle::of_columns ? 2 : 3),
          1,
          {}};
}

namespace detail {

// The column below `width`, a power of two, whose triangular number c (c + 1) / 2 has that
// remainder. 8 of it and 1 are (2c + 1)^2, so this is a square root modulo 8 * width, found bit by
// bit: adding 2^(b-1) to an odd number changes bit b of its square, and none below. Of the two
// roots below 4 * width, one is the negative of the other.
BANKMODEL_FN long long triangular_root(long long remainder, long long width) {
  const long long square = 8 * remainder + 1;
  long long root = 1;
  for (long long bit = 8; bit < 8 * width; bit *= 2)
    if (((root * root - square) & bit) != 0) root += bit / 2;
  return ((root > 2 * width ? 4 * width - root : root) - 1) / 2;
}

// Of numbers, and of index expressions; the inverse of triangles of columns is not among them.
template <class Row, class Column>
BANKMODEL_FN auto with_triangle_of_columns(Row row, Column column, long long width) {
  return (row + column * (column + 1) / 2) % width;
}
template <class Row, class Column>
BANKMODEL_FN auto with_triangle_of_rows(Row row, Column column, long long width) {
  return (column + row * (row + 1) / 2) % width;
}
template <class Row, class Column>
BANKMODEL_FN auto without_triangle_of_rows(Row row, Column column, long long width) {
  return (column + (width - 1) * (row * (row + 1) / 2 % width)) % width;
}

}  // namespace detail
}  // namespace bankmodel

#endif
