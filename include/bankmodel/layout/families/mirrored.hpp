// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_FAMILIES_MIRRORED_HPP
#define BANKMODEL_LAYOUT_FAMILIES_MIRRORED_HPP

#include <bankmodel/layout/family.hpp>

namespace bankmodel {

namespace detail {

struct mirrored_family : family<mirrored_family> {
  BANKMODEL_FN static void place(const layout& of, element_to_place& at) {
    const long long width = of.groups();
    at.set_group((at.group() * (width - 1) + at.row() + at.constant(width - 1)) % width);
  }
  BANKMODEL_FN static permutation inverse(permutation p) { return p; }
};

}  // namespace detail

// Returns the permutation that stores column c of row r in column (width - 1 - c + r) mod width.
// It is its own inverse.
//
//   mirrored() of t[2][4]    3 2 1 0    the column stored at each place
//                            0 3 2 1
BANKMODEL_FN permutation mirrored() {
  return {layout_family::other, 0, 1, {}, &detail::any_family::functions<detail::mirrored_family>};
}

}  // namespace bankmodel

#endif
