// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_FAMILIES_TRIANGULAR_HPP
#define BANKMODEL_LAYOUT_FAMILIES_TRIANGULAR_HPP

#include <bankmodel/layout/family.hpp>

namespace bankmodel {

// Whether the triangular number of the column or of the row is added.
enum class triangle : unsigned char { of_columns, of_rows };

namespace rule {
[[noreturn]] BANKMODEL_FN void triangles_of_columns_must_have_a_width_of_a_power_of_two(
    long long width) {
  detail::fail(__func__,
               "a triangular permutation of rows of % groups would store two at one place; use a "
               "width that is a power of two, or triangle::of_rows",
               width);
}
}  // namespace rule

namespace detail {

struct triangular_family : family<triangular_family> {
  BANKMODEL_FN static void place(const layout& array_layout, element_to_place& item) {
    const long long width = array_layout.groups();
    const term group = item.group(),
               row = item.row() % (2 * width);  // the period of triangles
    switch (array_layout.permutation.form) {
      case 0: return item.set_group((row + triangle_of(group)) % width);
      case 1: return item.set_group((group + triangle_of(row)) % width);
      case 2: return item.set_group(triangular_root((group + row * (width - 1)) % width, width));
      default: return item.set_group((group + triangle_of(row) % width * (width - 1)) % width);
    }
  }
  // Forms 0 and 1: of columns and of rows; 2 and 3: their inverses.
  BANKMODEL_FN static permutation with_form(int form) {
    return {layout_family::triangular,
            static_cast<unsigned char>(form),
            1,
            {},
            &any_family::functions<triangular_family>};
  }
  BANKMODEL_FN static permutation inverse(const permutation& p) {
    permutation result = with_form(p.form ^ 2);
    result.group = p.group;
    return result;
  }
  BANKMODEL_FN static void require(const layout& array_layout) {
    family::require(array_layout);
    if (array_layout.permutation.form % 2 == 0 && !is_power_of_two(array_layout.groups()))
      rule::triangles_of_columns_must_have_a_width_of_a_power_of_two(array_layout.groups());
  }
};

}  // namespace detail

// Returns a triangular permutation. triangle::of_columns stores column c of row r in column
// (r + c (c + 1) / 2) mod width. triangle::of_rows stores it in column (c + r (r + 1) / 2) mod
// width; down a column of `width` rows it is free of conflicts only if the width is a power of two.
// Error (when a layout is made): of_columns with a width that is not a power of two.
//
//   of_columns of t[4][4]   0 1 3 2     of_rows   0 1 2 3      the column stored at each place
//                           2 0 1 3               3 0 1 2
//                           3 2 0 1               1 2 3 0
//                           1 3 2 0               2 3 0 1
//
// The inverses: see inverse_triangular(). Instructions: see index_instructions().
// Source: I. Mungiello, third-year presentation, "triangular based mapping".
BANKMODEL_FN permutation triangular(triangle direction = triangle::of_columns) {
  return detail::triangular_family::with_form(direction == triangle::of_columns ? 0 : 1);
}

// Returns the inverse permutation of each row: triangular() stores column c of a row at place p,
// this stores column p at place c.
BANKMODEL_FN permutation inverse_triangular(triangle direction = triangle::of_columns) {
  return detail::triangular_family::with_form(direction == triangle::of_columns ? 2 : 3);
}

}  // namespace bankmodel

#endif
