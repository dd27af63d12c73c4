// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_FAMILIES_ROTATION_HPP
#define BANKMODEL_LAYOUT_FAMILIES_ROTATION_HPP

#include <bankmodel/layout/family.hpp>

namespace bankmodel {

namespace detail {

struct rotation_family : family<rotation_family> {
  BANKMODEL_FN static void place(const layout& array_layout, element_to_place& element) {
    const long long width = array_layout.groups();
    element.set_group((element.group() +
                       element.row() * least_remainder(array_layout.permutation.number[0], width)) %
                      width);
  }
  BANKMODEL_FN static permutation inverse(permutation p) {
    p.number[0] = -p.number[0];
    return p;
  }
};

}  // namespace detail

// Returns a rotation: column c of row r is stored in column (c + step * r) mod width of that row,
// for any width. A step of 1 is adaptive modular mapping; a negative step rotates the other way.
//
//   rotation(1) of t[4][4]    0 1 2 3      rotation(-1)   0 1 2 3   the column stored at each place
//                             3 0 1 2                     1 2 3 0
//                             2 3 0 1                     2 3 0 1
//                             1 2 3 0                     3 0 1 2
//
// The inverse is the rotation by -step. Instructions: see index_instructions().
// Source: A. Cilardo, I. Mungiello, F. De Rosa, "Adaptive Modular Mapping", 3PGCIC 2016, in I.
// Mungiello's third-year presentation.
BANKMODEL_FN permutation rotation(long long step) {
  return {layout_family::rotation,
          0,
          1,
          {step, 0, 0, 0},
          &detail::any_family::functions<detail::rotation_family>};
}

}  // namespace bankmodel

#endif
