// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_FAMILIES_MODULAR_HPP
#define BANKMODEL_LAYOUT_FAMILIES_MODULAR_HPP

#include <bankmodel/layout/family.hpp>

namespace bankmodel {

// [a b]
// [c d]  maps (column, row) to (a * column + b * row, c * column + d * row), as the presentation
//        writes it, x before y
struct matrix {
  long long a = 1, b = 0, c = 0, d = 1;
  bool operator==(const matrix&) const = default;
};

namespace rule {
[[noreturn]] BANKMODEL_FN void a_modular_layout_must_be_one_to_one(long long columns,
                                                                   long long rows) {
  detail::fail(__func__,
               "a modular transformation stores two elements, % columns and % rows apart, at one "
               "place; use other entries, such as b or c = 0, a without a common divisor with the "
               "columns and d without one with the rows, or in a box a larger stride",
               columns, rows);
}
[[noreturn]] BANKMODEL_FN void a_transformation_into_a_box_must_not_lead_below_0(
    long long along_columns, long long along_rows) {
  detail::fail(__func__,
               "a transformation into a box moves by % elements from column to column and by % "
               "from row to row; use entries for which both are 0 or more",
               along_columns, along_rows);
}
[[noreturn]] BANKMODEL_FN void entries_of_a_transformation_must_have_at_most_24_bits(
    long long entry) {
  detail::fail(__func__, "a modular transformation with the entry %; use its remainder, below 2^24",
               entry);
}
}  // namespace rule

namespace detail {

// All x with factor * x = value, modulo `modulus`, as first + k * spacing; none if spacing is 0.
struct solutions {
  long long first, spacing;
};
BANKMODEL_FN solutions solve(long long factor, long long value, long long modulus) {
  factor = least_remainder(factor, modulus);
  value = least_remainder(value, modulus);
  const long long common =
      greatest_common_divisor(factor, modulus);  // `modulus` if the factor is 0
  if (value % common != 0) return {0, 0};
  const long long period = modulus / common;
  // The inverse of factor / common, by Euclid's algorithm.
  long long a = factor / common % period, b = period, x = 1, y = 0;
  while (a > 1) {
    const long long times = b / a, rest = b - times * a, other = y - times * x;
    b = a;
    y = x;
    a = rest;
    x = other;
  }
  return {least_remainder(x * (value / common), period), period};
}

// The solutions of both.
BANKMODEL_FN solutions solve(const solutions& base, const solutions& other) {
  if (base.spacing == 0 || other.spacing == 0) return {0, 0};
  const solutions steps = solve(base.spacing, other.first - base.first, other.spacing);
  if (steps.spacing == 0) return {0, 0};
  const long long period = base.spacing * steps.spacing;
  return {least_remainder(base.first + base.spacing * steps.first, period), period};
}

// The distance of two elements that would be stored at one place; 0 and 0 if there are none.
struct collision {
  long long columns, rows;
  BANKMODEL_FN bool exists() const { return columns != 0 || rows != 0; }
};

// Each distance in rows gives a congruence for the distance in columns.
BANKMODEL_FN collision collision_of_modular(const permutation& p, long long rows,
                                            long long columns) {
  const long long a = p.number[0], b = p.number[1], c = p.number[2], d = p.number[3];
  for (long long row_distance = 0; row_distance < rows; ++row_distance) {
    const solutions common =
        solve(solve(a, -b * row_distance, columns), solve(c, -d * row_distance, rows));
    if (common.spacing == 0) continue;
    // The solution with the fewest columns, to either side; 0 columns and 0 rows is no collision.
    const long long right = row_distance == 0 && common.first == 0 ? common.spacing : common.first,
                    left = common.spacing - common.first;
    if (right < columns) return {right, row_distance};
    if (row_distance != 0 && left < columns) return {-left, row_distance};
  }
  return {0, 0};
}

struct modular_family : family<modular_family> {
  BANKMODEL_FN static void place(const layout& array_layout, element_to_place& element) {
    const four& t = array_layout.permutation.number;
    const long long width = array_layout.groups(), height = array_layout.extent[0];
    const term row = element.row(), group = element.group();
    element.set_group((group * least_remainder(t[0], width) + row * least_remainder(t[1], width)) %
                      width);
    element.set_coordinate(
        0, (group * least_remainder(t[2], height) + row * least_remainder(t[3], height)) % height);
  }

  BANKMODEL_FN static four coordinates(const layout& array_layout, long long place) {
    four coordinate = without_permutation(array_layout).coordinates(place);
    if (coordinate[0] < 0) return coordinate;
    const four& t = array_layout.permutation.number;
    const long long group_size = array_layout.permutation.group,
                    offset = coordinate[1] % group_size, column = coordinate[1] / group_size;
    for (long long row = 0; row < array_layout.extent[0]; ++row) {
      const solutions common =
          solve(solve(t[0], column - t[1] * row, array_layout.groups()),
                solve(t[2], coordinate[0] - t[3] * row, array_layout.extent[0]));
      if (common.spacing != 0 && common.first < array_layout.groups())
        return {row, common.first * group_size + offset, 0, 0};
    }
    return {-1, 0, 0, 0};  // never, since it is one to one
  }
  // For both families.
  BANKMODEL_FN static void require_shape(const layout& array_layout) {
    if (array_layout.rank != 2) rule::permutations_must_be_of_rows(array_layout.rank);
    if (array_layout.extent[1] % array_layout.permutation.group != 0 ||
        array_layout.stride[0] % array_layout.permutation.group != 0)
      rule::groups_must_be_powers_of_two_that_fit_the_rows(array_layout.permutation.group,
                                                           array_layout.extent[1]);
    for (int entry = 0; entry < 4; ++entry)
      if (array_layout.permutation.number[entry] >= 1 << 24 ||
          array_layout.permutation.number[entry] <= -(1 << 24))
        rule::entries_of_a_transformation_must_have_at_most_24_bits(
            array_layout.permutation.number[entry]);
  }
  BANKMODEL_FN static void require(const layout& array_layout) {
    require_shape(array_layout);
    const collision clash = collision_of_modular(array_layout.permutation, array_layout.extent[0],
                                                 array_layout.groups());
    if (clash.exists()) rule::a_modular_layout_must_be_one_to_one(clash.columns, clash.rows);
  }
};

// The distances in storage from column to column, and from row to row.
struct box_steps {
  long long columns, rows;
};
BANKMODEL_FN box_steps steps_in_box(const permutation& p, long long stride) {
  return {checked_add(p.number[0], checked_multiply(stride, p.number[2])),
          checked_add(p.number[1], checked_multiply(stride, p.number[3]))};
}
BANKMODEL_FN collision collision_in_box(const box_steps& step, long long rows, long long columns) {
  const long long common = greatest_common_divisor(step.columns, step.rows);
  if (common == 0)
    return columns > 1 ? collision{1, 0} : rows > 1 ? collision{0, 1} : collision{0, 0};
  const collision smallest{-(step.rows / common), step.columns / common};
  return -smallest.columns < columns && smallest.rows < rows ? smallest : collision{0, 0};
}

struct box_family : family<box_family> {
  BANKMODEL_FN static void place(const layout& array_layout, element_to_place& element) {
    const box_steps step = steps_of(array_layout);
    element.set_number(in_group(element.group() * step.columns + element.row() * step.rows,
                                element.column(), array_layout.permutation.group));
  }

  BANKMODEL_FN static four coordinates(const layout& array_layout, long long place) {
    constexpr four none{-1, 0, 0, 0};
    if (place < 0 || place >= size(array_layout)) return none;
    const box_steps step = steps_of(array_layout);
    const long long group_size = array_layout.permutation.group, group = place / group_size;
    for (long long row = 0; row < array_layout.extent[0] && step.rows * row <= group; ++row) {
      const long long rest = group - step.rows * row;
      if (step.columns == 0
              ? rest != 0
              : rest % step.columns != 0 || rest / step.columns >= array_layout.groups())
        continue;
      return {row, (step.columns == 0 ? 0 : rest / step.columns) * group_size + place % group_size,
              0, 0};
    }
    return none;
  }
  BANKMODEL_FN static long long size(const layout& array_layout) {
    const box_steps step = steps_of(array_layout);
    const long long last = checked_add(checked_multiply(step.columns, array_layout.groups() - 1),
                                       checked_multiply(step.rows, array_layout.extent[0] - 1));
    return checked_multiply(last + 1, array_layout.permutation.group);
  }
  BANKMODEL_FN static void require(const layout& array_layout) {
    modular_family::require_shape(array_layout);
    const box_steps step = steps_of(array_layout);
    if (step.columns < 0 || step.rows < 0)
      rule::a_transformation_into_a_box_must_not_lead_below_0(step.columns, step.rows);
    const collision clash = collision_in_box(step, array_layout.extent[0], array_layout.groups());
    if (clash.exists()) rule::a_modular_layout_must_be_one_to_one(clash.columns, clash.rows);
    (void)size(array_layout);
  }

 private:
  BANKMODEL_FN static box_steps steps_of(const layout& array_layout) {
    return steps_in_box(array_layout.permutation,
                        array_layout.stride[0] / array_layout.permutation.group);
  }
};

}  // namespace detail

// Returns a modular permutation of an array of two dimensions: element (row, column) is stored in
// row (c * column + d * row) mod rows and column (a * column + b * row) mod columns. It needs no
// more bytes than the array. Error (when a layout is made): the mapping is not one to one.
//
//   modular({3, 1, 0, 1}) of t[4][4]   0 3 2 1      the column stored at each place
//                                      1 0 3 2
//                                      2 1 0 3
//                                      3 2 1 0
//
// With {1, 1, 0, 1} it is rotation(1). The inverse: layout::coordinates(). Instructions: see
// index_instructions().
// Source: A. Darte, M. Dion, Y. Robert, "A characterization of one-to-one modular mappings", 1996,
// in I. Mungiello's third-year presentation.
BANKMODEL_FN permutation modular(const matrix& t) {
  return {layout_family::modular,
          0,
          1,
          {t.a, t.b, t.c, t.d},
          &detail::any_family::functions<detail::modular_family>};
}

// Returns the variant without the modulus, as in the presentation: element (row, column) is stored
// at (a * column + b * row) + stride * (c * column + d * row), where `stride` is that of the
// array's rows. It needs more bytes than the array.
// Error (when a layout is made): the mapping is not one to one, or an offset is negative.
//
//   modular_in_a_box({2, 1, 0, 1}) of t[2][4]   00 -- 01 -- 02 10 03 11 -- 12 -- 13  row and column
//
//   of t[28][52]: t[1][0] is element 53, t[0][1] element 2, the last one element 1533
BANKMODEL_FN permutation modular_in_a_box(const matrix& t) {
  return {layout_family::modular,
          1,
          1,
          {t.a, t.b, t.c, t.d},
          &detail::any_family::functions<detail::box_family>};
}

}  // namespace bankmodel

#endif
