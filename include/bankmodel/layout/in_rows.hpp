// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_IN_ROWS_HPP
#define BANKMODEL_LAYOUT_IN_ROWS_HPP

#include <bankmodel/layout/layout.hpp>

namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void only_one_dimension_without_a_permutation_has_rows_of_a_width(
    long long rank, long long width) {
  detail::fail(__func__,
               "in_rows_of() an array of % dimensions, in rows of %; use one dimension without a "
               "permutation, 1 or more columns, and the interval of padded_every() if it has one",
               rank, width);
}
}  // namespace rule

// Returns an array of one dimension as an array of two with `width` columns: its rows are padded if
// the array is padded every `width` elements, and element c is stored at the same place as element
// [c / width][c % width]. So a kernel that subscripts a[row * width + column], with columns below
// `width`, needs no index function: it declares the array with a pitch, and subscripts it
// [row][column].
// Error: several dimensions, a permutation, or padding every other number of elements.
// Example: float a[32][65] instead of intervals. a[row * 64 + column] is then a[row][column],
// without the instructions of c + c / 64:
//
//   static_assert(in_rows_of(row_major(2048).padded_every(64, 1), 64) ==
//                 row_major(32, 64).padded(1));
BANKMODEL_FN layout in_rows_of(const layout& array_layout, long long width) {
  if (array_layout.rank != 1 || width < 1 ||
      array_layout.permutation.family != layout_family::rows ||
      (array_layout.interval != 0 && array_layout.interval != width))
    rule::only_one_dimension_without_a_permutation_has_rows_of_a_width(array_layout.rank, width);
  return row_major((array_layout.extent[0] - 1) / width + 1, width)
      .padded(array_layout.interval_padding);
}

}  // namespace bankmodel

#endif
