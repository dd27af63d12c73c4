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

// All x with factor * x = value, modulo `modulus`, as first + k * apart; none if apart is 0.
struct solutions {
  long long first, apart;
};
BANKMODEL_FN solutions solve(long long factor, long long value, long long modulus) {
  factor = least_remainder(factor, modulus);
  value = least_remainder(value, modulus);
  const long long common =
      greatest_common_divisor(factor, modulus);  // `modulus` if the factor is 0
  if (value % common != 0) return {0, 0};
  const long long apart = modulus / common;
  // The inverse of factor / common, by Euclid's algorithm.
  long long a = factor / common % apart, b = apart, x = 1, y = 0;
  while (a > 1) {
    const long long times = b / a, rest = b - times * a, other = y - times * x;
    b = a;
    y = x;
    a = rest;
    x = other;
  }
  return {least_remainder(x * (value / common), apart), apart};
}

// The solutions of both.
BANKMODEL_FN solutions solve(const solutions& one, const solutions& other) {
  if (one.apart == 0 || other.apart == 0) return {0, 0};
  const solutions steps = solve(one.apart, other.first - one.first, other.apart);
  if (steps.apart == 0) return {0, 0};
  const long long both = one.apart * steps.apart;
  return {least_remainder(one.first + one.apart * steps.first, both), both};
}

// The distance of two elements that would be stored at one place; 0 and 0 if there are none.
struct collision {
  long long columns, rows;
  BANKMODEL_FN bool any() const { return columns != 0 || rows != 0; }
};

// Each distance in rows gives a congruence for the distance in columns.
BANKMODEL_FN collision collision_of_modular(const permutation& p, long long rows,
                                            long long columns) {
  const long long a = p.number[0], b = p.number[1], c = p.number[2], d = p.number[3];
  for (long long apart = 0; apart < rows; ++apart) {
    const solutions both = solve(solve(a, -b * apart, columns), solve(c, -d * apart, rows));
    if (both.apart == 0) continue;
    // The solution with the fewest columns, to either side; 0 columns and 0 rows is no collision.
    const long long right = apart == 0 && both.first == 0 ? both.apart : both.first,
                    left = both.apart - both.first;
    if (right < columns) return {right, apart};
    if (apart != 0 && left < columns) return {-left, apart};
  }
  return {0, 0};
}

struct modular_family : family<modular_family> {
  BANKMODEL_FN static void place(const layout& of, element_to_place& at) {
    const four& t = of.permutation.number;
    const long long width = of.groups(), height = of.extent[0];
    const term row = at.row(), group = at.group();
    at.set_group((group * least_remainder(t[0], width) + row * least_remainder(t[1], width)) %
                 width);
    at.set_coordinate(
        0, (group * least_remainder(t[2], height) + row * least_remainder(t[3], height)) % height);
  }

  BANKMODEL_FN static four coordinates(const layout& of, long long place) {
    four at = without_permutation(of).coordinates(place);
    if (at[0] < 0) return at;
    const four& t = of.permutation.number;
    const long long together = of.permutation.group, within = at[1] % together,
                    column = at[1] / together;
    for (long long row = 0; row < of.extent[0]; ++row) {
      const solutions both = solve(solve(t[0], column - t[1] * row, of.groups()),
                                   solve(t[2], at[0] - t[3] * row, of.extent[0]));
      if (both.apart != 0 && both.first < of.groups())
        return {row, both.first * together + within, 0, 0};
    }
    return {-1, 0, 0, 0};  // never, since it is one to one
  }
  // For both families.
  BANKMODEL_FN static void require_shape(const layout& of) {
    if (of.rank != 2) rule::permutations_must_be_of_rows(of.rank);
    if (of.extent[1] % of.permutation.group != 0 || of.stride[0] % of.permutation.group != 0)
      rule::groups_must_be_powers_of_two_that_fit_the_rows(of.permutation.group, of.extent[1]);
    for (int at = 0; at < 4; ++at)
      if (of.permutation.number[at] >= 1 << 24 || of.permutation.number[at] <= -(1 << 24))
        rule::entries_of_a_transformation_must_have_at_most_24_bits(of.permutation.number[at]);
  }
  BANKMODEL_FN static void require(const layout& of) {
    require_shape(of);
    const collision found = collision_of_modular(of.permutation, of.extent[0], of.groups());
    if (found.any()) rule::a_modular_layout_must_be_one_to_one(found.columns, found.rows);
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
  const collision least{-(step.rows / common), step.columns / common};
  return -least.columns < columns && least.rows < rows ? least : collision{0, 0};
}

struct box_family : family<box_family> {
  BANKMODEL_FN static void place(const layout& of, element_to_place& at) {
    const box_steps step = steps_of(of);
    at.set_number(in_group(at.group() * step.columns + at.row() * step.rows, at.column(),
                           of.permutation.group));
  }

  BANKMODEL_FN static four coordinates(const layout& of, long long place) {
    constexpr four none{-1, 0, 0, 0};
    if (place < 0 || place >= size(of)) return none;
    const box_steps step = steps_of(of);
    const long long together = of.permutation.group, group = place / together;
    for (long long row = 0; row < of.extent[0] && step.rows * row <= group; ++row) {
      const long long rest = group - step.rows * row;
      if (step.columns == 0 ? rest != 0
                            : rest % step.columns != 0 || rest / step.columns >= of.groups())
        continue;
      return {row, (step.columns == 0 ? 0 : rest / step.columns) * together + place % together, 0,
              0};
    }
    return none;
  }
  BANKMODEL_FN static long long size(const layout& of) {
    const box_steps step = steps_of(of);
    const long long last = checked_add(checked_multiply(step.columns, of.groups() - 1),
                                       checked_multiply(step.rows, of.extent[0] - 1));
    return checked_multiply(last + 1, of.permutation.group);
  }
  BANKMODEL_FN static void require(const layout& of) {
    modular_family::require_shape(of);
    const box_steps step = steps_of(of);
    if (step.columns < 0 || step.rows < 0)
      rule::a_transformation_into_a_box_must_not_lead_below_0(step.columns, step.rows);
    const collision found = collision_in_box(step, of.extent[0], of.groups());
    if (found.any()) rule::a_modular_layout_must_be_one_to_one(found.columns, found.rows);
    (void)size(of);
  }

 private:
  BANKMODEL_FN static box_steps steps_of(const layout& of) {
    return steps_in_box(of.permutation, of.stride[0] / of.permutation.group);
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
