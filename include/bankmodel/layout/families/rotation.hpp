// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_FAMILIES_ROTATION_HPP
#define BANKMODEL_LAYOUT_FAMILIES_ROTATION_HPP

#include <bankmodel/layout/permutation.hpp>

namespace bankmodel {

// Row r is rotated by `step` * r columns: its column c lies where (c + step * r) mod width would.
// Any width, power of two or not; a step of 1 is adaptive modular mapping, a negative one rotates
// the other way.
//
//   rotation(1) of t[4][4]    0 1 2 3      rotation(-1)   0 1 2 3      which column lies there,
//                             row by row 3 0 1 2                     1 2 3 0 2 3 0 1
//                             2 3 0 1 1 2 3 0                     3 0 1 2
//
// The inverse is the rotation by -step. Two instructions where the width is a power of two and
// three elsewhere, one more where the step is a power of two: see index_instructions(). Source: A.
// Cilardo, I. Mungiello, F. De Rosa, "Adaptive Modular Mapping", 3PGCIC 2016, in I. Mungiello's
// third-year presentation.
BANKMODEL_FN permutation rotation(long long step) {
  return {layout_family::rotation, 0, 1, {step, 0, 0, 0}};
}

namespace detail {

// 0 to width - 1, with the same remainder.
BANKMODEL_FN long long least_remainder(long long value, long long width) {
  return (value % width + width) % width;
}

// Of numbers, and of index expressions. Required: 0 <= step < width.
template <class Row, class Column>
BANKMODEL_FN auto rotated(Row row, Column column, long long step, long long width) {
  return (column + step * row) % width;
}

}  // namespace detail
}  // namespace bankmodel

#endif
