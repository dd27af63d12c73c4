// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_LAYOUT_HPP
#define BANKMODEL_LAYOUT_LAYOUT_HPP

#include <bankmodel/layout/families/linear.hpp>
#include <bankmodel/layout/families/modular.hpp>
#include <bankmodel/layout/families/triangular.hpp>
#include <bankmodel/layout/families/xor_swizzle.hpp>

namespace bankmodel {

constexpr int max_rank = 4;

namespace rule {
[[noreturn]] BANKMODEL_FN void an_array_must_have_one_to_four_extents(long long rank) {
  detail::fail(__func__, "an array with % extents; fold the outer ones into one", rank);
}
[[noreturn]] BANKMODEL_FN void extents_must_be_positive(long long dimension, long long extent) {
  detail::fail(__func__, "extent % of an array is %; use 1 or more", dimension, extent);
}
[[noreturn]] BANKMODEL_FN void padding_must_not_be_negative(long long elements) {
  detail::fail(__func__, "a padding of % elements; use 0 or more", elements);
}
[[noreturn]] BANKMODEL_FN void padding_must_be_of_a_dimension_of_rows(long long dimension,
                                                                      long long rank) {
  detail::fail(__func__,
               "padding along dimension % of an array of %; the last dimension's elements are "
               "neighbours: use 0 to rank - 2, or padded_every() "
               "for one dimension",
               dimension, rank);
}
[[noreturn]] BANKMODEL_FN void intervals_must_be_of_one_dimension_and_positive(long long rank,
                                                                               long long every) {
  detail::fail(__func__,
               "padded_every(%, ..) of an array of % dimensions; pad the rows of an array of "
               "several dimensions, and every 1 or more elements",
               every, rank);
}
[[noreturn]] BANKMODEL_FN void permutations_must_be_of_rows(long long rank) {
  detail::fail(
      __func__,
      "a permutation that an array of % dimensions, or with padding at intervals, cannot have; "
      "modular() takes 2 dimensions, rotation() and "
      "triangular() 2 or more, xor_swizzle() and linear() any, and none of them padded_every()",
      rank);
}
[[noreturn]] BANKMODEL_FN void coordinates_must_match_the_rank(long long given, long long rank) {
  detail::fail(__func__, "% coordinates for an array of % dimensions; give one for each", given,
               rank);
}
}  // namespace rule

// Which element of storage holds which coordinates of an array of one to four dimensions, the last
// one contiguous. A layout knows nothing of banks. It has scalar members only, so that nvcc takes
// it as a template argument.
//   row_major(32, 32)(1, 0)           is 32
//   row_major(32, 32).padded(1)(1, 0) is 33
struct layout {
  int rank = 0;
  detail::four extent;  // elements in each dimension
  detail::four stride;  // elements from one coordinate to the next in each dimension
  // One dimension only: behind every `interval` elements that many are unused. 0 and 0 for none.
  long long interval = 0, interval_padding = 0;
  bankmodel::permutation permutation;  // of rows, and of what pitches and padding give

  // The element of storage at these coordinates, as many as the rank. No bounds are checked.
  template <detail::number... Coordinates>
  BANKMODEL_FN long long operator()(Coordinates... coordinates) const {
    if (static_cast<int>(sizeof...(coordinates)) != rank)
      rule::coordinates_must_match_the_rank(sizeof...(coordinates), rank);
    detail::four at;
    int dimension = 0;
    ((at[dimension++] = static_cast<long long>(coordinates)), ...);
    return (*this)(at);
  }
  // The same for coordinates as coordinates() gives them.
  BANKMODEL_FN long long operator()(const detail::four& at) const {
    long long element = 0, row = 0;
    for (int d = 0; d < rank; ++d) element += at[d] * stride[d];
    if (interval != 0) return element + element / interval * interval_padding;
    if (permutation.family == layout_family::rows) return element;
    for (int d = 0; d < rank - 1; ++d) row = row * extent[d] + at[d];
    return permuted_element(element, row, at[rank - 1]);
  }

  // The coordinates of what lies at that element of storage; -1 as the first of them where nothing
  // does. The inverse of operator(): row_major(32, 32).padded(1).coordinates(33) are 1, 0, and
  // .coordinates(32) are none.
  BANKMODEL_FN detail::four coordinates(long long element) const;

  // Elements of storage, unused ones included. A swizzle by XOR takes whole blocks of those that
  // change places.
  BANKMODEL_FN long long size() const {
    if (interval != 0)
      return detail::checked_add(
          extent[0], detail::checked_multiply((extent[0] - 1) / interval, interval_padding));
    const long long all = detail::checked_multiply(extent[0], stride[0]);
    if (permutation.family == layout_family::xor_swizzle) {
      const long long block = detail::numbers_of_xor(permutation).block;
      return detail::checked_add(all, block - 1) / block * block;
    }
    if (!is_in_a_box()) return all;
    const detail::box_steps step = steps_in_box();
    const long long last = detail::checked_add(detail::checked_multiply(step.columns, groups() - 1),
                                               detail::checked_multiply(step.rows, extent[0] - 1));
    return detail::checked_multiply(last + 1, permutation.group);
  }

  // Unused elements at the end of each row; 0 for one dimension.
  BANKMODEL_FN long long padding() const { return rank < 2 ? 0 : padding(rank - 2); }

  // Unused elements behind all of a coordinate of that dimension, the first being 0: of
  // [planes][rows][columns], padding(1) is the padding of each row, padding(0) of each plane.
  BANKMODEL_FN long long padding(int dimension) const {
    if (dimension < 0 || dimension > rank - 2)
      rule::padding_must_be_of_a_dimension_of_rows(dimension, rank);
    return stride[dimension] - extent[dimension + 1] * stride[dimension + 1];
  }

  // The same array with that many unused elements at the end of each row, and none elsewhere.
  BANKMODEL_FN layout padded(long long elements) const {
    if (elements < 0) rule::padding_must_not_be_negative(elements);
    layout result = *this;
    result.set_strides(detail::four{});
    if (rank >= 2 && elements != 0) return result.padded(elements, rank - 2);
    result.require_one_to_one();
    return result;
  }

  // The same array with that many unused elements behind each coordinate of one dimension; others
  // keep their padding. row_major(4, 8, 32).padded(1, 1).padded(2, 0) has planes of 8 * 33 + 2
  // elements.
  BANKMODEL_FN layout padded(long long elements, int dimension) const {
    if (dimension < 0 || dimension > rank - 2)
      rule::padding_must_be_of_a_dimension_of_rows(dimension, rank);
    if (elements < 0) rule::padding_must_not_be_negative(elements);
    detail::four paddings;
    for (int d = 0; d < rank - 1; ++d) paddings[d] = padding(d);
    paddings[dimension] = elements;
    layout result = *this;
    result.set_strides(paddings);
    result.require_one_to_one();
    return result;
  }

  // The same array of one dimension with `elements` unused ones behind every `every` elements, as
  // scans and FFTs use it: row_major(1024).padded_every(32, 1)(32) is 33.
  BANKMODEL_FN layout padded_every(long long every, long long elements) const {
    if (rank != 1 || every < 1) rule::intervals_must_be_of_one_dimension_and_positive(rank, every);
    if (elements < 0) rule::padding_must_not_be_negative(elements);
    layout result = *this;
    result.interval = elements == 0 ? 0 : every;
    result.interval_padding = elements;
    result.require_one_to_one();
    return result;
  }

  // The same array with its elements permuted: row_major(32, 32).permuted(rotation(1))(1, 31) is
  // 32. One permutation at a time: another one takes its place, and permuted({}) is none. Of
  // arrays of two dimensions and more, a swizzle by XOR of one too; the rows of more than two
  // dimensions are counted through. Refused: what would put two elements into one place; groups
  // that do not divide the rows; linear layouts with padding.
  BANKMODEL_FN layout permuted(const bankmodel::permutation& by) const {
    layout result = *this;
    result.permutation = by;
    result.require_one_to_one();
    return result;
  }

  // Rows, all dimensions but the last counted through, and groups of elements in each.
  BANKMODEL_FN long long rows() const {
    long long result = 1;
    for (int d = 0; d < rank - 1; ++d) result = detail::checked_multiply(result, extent[d]);
    return result;
  }
  BANKMODEL_FN long long groups() const { return extent[rank - 1] / permutation.group; }

  // Whether an element's number is a sum of multiples of its coordinates.
  BANKMODEL_FN bool is_strided() const {
    return interval == 0 && permutation.family == layout_family::rows;
  }

  bool operator==(const layout&) const = default;

 private:
  BANKMODEL_FN bool is_in_a_box() const {
    return permutation.family == layout_family::modular && permutation.form == 1;
  }
  BANKMODEL_FN detail::box_steps steps_in_box() const {
    return detail::steps_in_box(permutation, stride[0] / permutation.group);
  }
  BANKMODEL_FN int bits() const {
    return detail::trailing_zeros(static_cast<std::uint64_t>(extent[0] * stride[0]));
  }

  BANKMODEL_FN void require_one_to_one() const;
  // The column of a row, both counted in groups, that lies where `column` would.
  BANKMODEL_FN long long permuted_column(long long row, long long column) const {
    const long long width = groups();
    if (permutation.family == layout_family::rotation)
      return detail::rotated(row, column, detail::least_remainder(permutation.number[0], width),
                             width);
    switch (permutation.form) {
      case 0: return detail::with_triangle_of_columns(row, column, width);
      case 1: return detail::with_triangle_of_rows(row, column, width);
      case 2: return detail::triangular_root(detail::least_remainder(column - row, width), width);
      default: return detail::without_triangle_of_rows(row, column, width);
    }
  }
  BANKMODEL_FN long long permuted_element(long long element, long long row,
                                          long long column) const {
    if (permutation.family == layout_family::xor_swizzle)
      return detail::xor_swizzled(permutation, element);
    if (permutation.family == layout_family::linear)
      return detail::moved_by({permutation.number}, element);
    const long long group = permutation.group, within = column % group;
    if (permutation.family != layout_family::modular)
      return element - column + permuted_column(row, column / group) * group + within;
    if (is_in_a_box()) {
      const detail::box_steps step = steps_in_box();
      return (step.columns * (column / group) + step.rows * row) * group + within;
    }
    const detail::four& t = permutation.number;
    const long long to_column =
        detail::least_remainder(t[0] * (column / group) + t[1] * row, groups());
    return detail::least_remainder(t[2] * (column / group) + t[3] * row, extent[0]) * stride[0] +
           to_column * group + within;
  }

  BANKMODEL_FN void set_strides(const detail::four& paddings) {
    stride[rank - 1] = 1;
    for (int d = rank - 2; d >= 0; --d)
      stride[d] =
          detail::checked_add(detail::checked_multiply(extent[d + 1], stride[d + 1]), paddings[d]);
  }
};

BANKMODEL_FN void layout::require_one_to_one() const {
  const layout_family family = permutation.family;
  if (family == layout_family::rows) return;
  const bool is_xor = family == layout_family::xor_swizzle;
  if (interval != 0 || family == layout_family::table ||
      (family == layout_family::modular ? rank != 2
                                        : rank < 2 && !is_xor && family != layout_family::linear))
    rule::permutations_must_be_of_rows(rank);
  if (is_xor) return;
  if (family == layout_family::linear) {
    bool fits = size() >= 2 && size() <= 65536;
    for (int d = 0; d < rank; ++d)
      fits = fits && detail::is_power_of_two(extent[d]) && (d == rank - 1 || padding(d) == 0);
    if (!fits) rule::linear_layouts_must_be_of_powers_of_two_without_padding(size());
    const bit_matrix of{permutation.number};
    for (int bit = 0; bit < 16; ++bit)
      if (bit < bits() ? of[bit] >> bits() != 0 : of[bit] != 0)
        rule::a_linear_layout_must_be_one_to_one(bits());
    if (detail::inverse_of(of, bits()) == bit_matrix{})
      rule::a_linear_layout_must_be_one_to_one(bits());
    return;
  }
  if (extent[rank - 1] % permutation.group != 0 ||
      (family == layout_family::modular && stride[0] % permutation.group != 0))
    rule::groups_must_be_powers_of_two_that_fit_the_rows(permutation.group, extent[rank - 1]);
  if (family == layout_family::triangular && permutation.form % 2 == 0 &&
      !detail::is_power_of_two(groups()))
    rule::triangles_of_columns_must_have_a_width_of_a_power_of_two(groups());
  if (family != layout_family::modular) return;
  for (int at = 0; at < 4; ++at)
    if (permutation.number[at] >= 1 << 24 || permutation.number[at] <= -(1 << 24))
      rule::entries_of_a_transformation_must_have_at_most_24_bits(permutation.number[at]);
  detail::collision found{};
  if (is_in_a_box()) {
    const detail::box_steps step = steps_in_box();
    if (step.columns < 0 || step.rows < 0)
      rule::a_transformation_into_a_box_must_not_lead_below_0(step.columns, step.rows);
    found = detail::collision_in_box(step, extent[0], groups());
  } else {
    found = detail::collision_of_modular(permutation, extent[0], groups());
  }
  if (found.any()) rule::a_modular_layout_must_be_one_to_one(found.columns, found.rows);
  (void)size();
}

BANKMODEL_FN detail::four layout::coordinates(long long element) const {
  constexpr detail::four none{-1, 0, 0, 0};
  if (element < 0 || element >= size()) return none;
  detail::four at;
  if (interval != 0) {
    at[0] = element - element / (interval + interval_padding) * interval_padding;
    return element % (interval + interval_padding) < interval && at[0] < extent[0] ? at : none;
  }
  // its own inverse
  if (permutation.family == layout_family::xor_swizzle)
    element = detail::xor_swizzled(permutation, element);
  if (permutation.family == layout_family::linear)
    element = detail::moved_by(detail::inverse_of({permutation.number}, bits()), element);
  if (is_in_a_box()) {
    const detail::box_steps step = steps_in_box();
    const long long group = element / permutation.group;
    for (at[0] = 0; at[0] < extent[0] && step.rows * at[0] <= group; ++at[0]) {
      const long long rest = group - step.rows * at[0];
      if (step.columns == 0 ? rest != 0
                            : rest % step.columns != 0 || rest / step.columns >= groups())
        continue;
      at[1] = (step.columns == 0 ? 0 : rest / step.columns) * permutation.group +
              element % permutation.group;
      return at;
    }
    return none;
  }
  long long row = 0;
  for (int d = 0; d < rank; ++d) {
    at[d] = element / stride[d];
    element %= stride[d];
    if (at[d] >= extent[d]) return none;
    if (d < rank - 1) row = row * extent[d] + at[d];
  }
  if (permutation.family != layout_family::rotation &&
      permutation.family != layout_family::triangular &&
      permutation.family != layout_family::modular)
    return at;
  const long long group = permutation.group, within = at[rank - 1] % group,
                  column = at[rank - 1] / group;
  if (permutation.family == layout_family::modular) {
    const detail::four& t = permutation.number;
    for (long long from = 0; from < extent[0]; ++from) {
      const detail::solutions both =
          detail::solve(detail::solve(t[0], column - t[1] * from, groups()),
                        detail::solve(t[2], row - t[3] * from, extent[0]));
      if (both.apart != 0 && both.first < groups())
        return {from, both.first * group + within, 0, 0};
    }
    return none;  // never, since it is one to one
  }
  layout back = *this;
  if (permutation.family == layout_family::rotation)
    back.permutation.number[0] = -permutation.number[0];
  else
    back.permutation.form = static_cast<unsigned char>(permutation.form ^ 2);
  at[rank - 1] = back.permuted_column(row, column) * group + within;
  return at;
}

// The layout of `T name[extents]...` in C: row_major(32, 33)(1, 0) is 33. One to four extents,
// each 1 or more.
template <detail::number... Extents>
BANKMODEL_FN layout row_major(Extents... extents) {
  constexpr int rank = static_cast<int>(sizeof...(extents));
  if (rank < 1 || rank > max_rank) rule::an_array_must_have_one_to_four_extents(rank);
  layout result{.rank = rank, .extent = {}, .stride = {}, .permutation = {}};
  int dimension = 0;
  ((result.extent[dimension++] = static_cast<long long>(extents)), ...);
  for (dimension = 0; dimension < rank; ++dimension)
    if (result.extent[dimension] < 1)
      rule::extents_must_be_positive(dimension, result.extent[dimension]);
  result = result.padded(0);
  (void)result.size();
  return result;
}

}  // namespace bankmodel

#endif
