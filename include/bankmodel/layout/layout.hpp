// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_LAYOUT_HPP
#define BANKMODEL_LAYOUT_LAYOUT_HPP

#include <bankmodel/layout/permutation.hpp>

namespace bankmodel {

constexpr int max_rank = 4;

namespace rule {
[[noreturn]] BANKMODEL_FN void an_array_must_have_one_to_four_extents(long long rank) {
  detail::fail(__func__, "an array with % extents; use 1 to 4, for example the outer ones as one",
               rank);
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
               "padding of dimension % in an array of % dimensions; the last dimension has none: "
               "use 0 to rank - 2, or padded_every() for one dimension",
               dimension, rank);
}
[[noreturn]] BANKMODEL_FN void intervals_must_be_of_one_dimension_and_positive(long long rank,
                                                                               long long period) {
  detail::fail(__func__,
               "padded_every(%, ..) of an array of % dimensions; pad the rows of an array of "
               "several dimensions, and every 1 or more elements",
               period, rank);
}
[[noreturn]] BANKMODEL_FN void permutations_must_be_of_rows(long long rank) {
  detail::fail(
      __func__,
      "an array of % dimensions cannot have this permutation; modular() requires 2 dimensions, "
      "rotation() and triangular() 2 or more, xor_swizzle() and linear() any; none allows "
      "padded_every()",
      rank);
}
[[noreturn]] BANKMODEL_FN void coordinates_must_match_the_rank(long long count, long long rank) {
  detail::fail(__func__, "% coordinates for an array of % dimensions; give one for each", count,
               rank);
}
}  // namespace rule

// The mapping from the coordinates of an array of one to four dimensions to the elements of its
// storage; the last dimension is contiguous. A layout does not depend on banks. It has scalar
// members only, because nvcc rejects other template arguments.
// Example:
//
//   static_assert(row_major(32, 32)(1, 0) == 32 && row_major(32, 32).padded(1)(1, 0) == 33);
struct layout {
  int rank = 0;
  detail::four extent;  // elements in each dimension
  detail::four stride;  // elements from one coordinate to the next in each dimension
  // One dimension only: `interval_padding` unused elements after every `interval` elements; 0 and 0
  // if there are none.
  long long interval = 0, interval_padding = 0;
  bankmodel::permutation permutation;  // applied to the padded array

  // Adds the padding of padded_every() to a number, or to a term of a program.
  template <class Number>
  BANKMODEL_FN Number with_intervals(const Number& element) const {
    return element + element / interval * interval_padding;
  }

  // Returns the element of storage at these coordinates. Requires: one coordinate for each
  // dimension. Bounds are not checked.
  template <detail::number... Coordinates>
  BANKMODEL_FN long long operator()(Coordinates... coordinates) const {
    if (static_cast<int>(sizeof...(coordinates)) != rank)
      rule::coordinates_must_match_the_rank(sizeof...(coordinates), rank);
    detail::four position;
    int dimension = 0;
    ((position[dimension++] = static_cast<long long>(coordinates)), ...);
    return (*this)(position);
  }
  // The same for coordinates as coordinates() returns them.
  BANKMODEL_FN long long operator()(const detail::four& position) const {
    if (permutation.family != layout_family::rows)
      return detail::functions_of(permutation).element(*this, position);
    long long element = 0;
    for (int d = 0; d < rank; ++d) element += position[d] * stride[d];
    return interval == 0 ? element : with_intervals(element);
  }

  // The inverse of operator(): returns the coordinates stored at `element`, or {-1, ..} if it is
  // padding.
  // Example:
  //
  //   static_assert(row_major(32, 32).padded(1).coordinates(33) == detail::four{1, 0});
  //   static_assert(row_major(32, 32).padded(1).coordinates(32)[0] == -1);
  BANKMODEL_FN detail::four coordinates(long long element) const;

  // The number of elements to allocate, padding included (mdspan: required_span_size). XOR swizzles
  // round it up to a whole swizzle block.
  BANKMODEL_FN long long required_size() const {
    if (interval != 0)
      return detail::checked_add(
          extent[0], detail::checked_multiply((extent[0] - 1) / interval, interval_padding));
    if (permutation.family != layout_family::rows)
      return detail::functions_of(permutation).size(*this);
    return detail::checked_multiply(extent[0], stride[0]);
  }

  // The number of unused elements at the end of each row; 0 for one dimension.
  BANKMODEL_FN long long padding() const { return rank < 2 ? 0 : padding(rank - 2); }

  // The number of unused elements after each coordinate of `dimension`, counted from 0: of
  // [planes][rows][columns] 0 stands for each plane, 1 for each row.
  BANKMODEL_FN long long padding(int dimension) const {
    if (dimension < 0 || dimension > rank - 2)
      rule::padding_must_be_of_a_dimension_of_rows(dimension, rank);
    return stride[dimension] - extent[dimension + 1] * stride[dimension + 1];
  }

  // Returns the array with `elements` unused elements at the end of each row, and no other padding.
  BANKMODEL_FN layout padded(long long elements) const {
    if (elements < 0) rule::padding_must_not_be_negative(elements);
    layout result = *this;
    result.set_strides(detail::four{});
    if (rank >= 2 && elements != 0) return result.padded(elements, rank - 2);
    result.require_one_to_one();
    return result;
  }

  // Returns the array with `elements` unused elements after each coordinate of one dimension; other
  // dimensions keep their padding.
  // Example: planes of 8 * 33 + 2 elements:
  //
  //   static_assert(row_major(4, 8, 32).padded(1, 1).padded(2, 0)(1, 0, 0) == 8 * 33 + 2);
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

  // Returns the array of one dimension with `elements` unused elements after every `period`
  // elements, as scans and FFTs use it.
  // Example:
  //
  //   static_assert(row_major(1024).padded_every(32, 1)(32) == 33);
  BANKMODEL_FN layout padded_every(long long period, long long elements) const {
    if (rank != 1 || period < 1)
      rule::intervals_must_be_of_one_dimension_and_positive(rank, period);
    if (elements < 0) rule::padding_must_not_be_negative(elements);
    layout result = *this;
    result.interval = elements == 0 ? 0 : period;
    result.interval_padding = elements;
    result.require_one_to_one();
    return result;
  }

  // Returns the layout with this permutation applied. A layout has at most one: a second call
  // replaces the first, permuted({}) removes it. XOR swizzles and linear layouts apply to any
  // number of dimensions, a modular layout to two, other families to two or more; with more than
  // two, the outer dimensions count as one dimension of rows.
  // Error: two elements would have one place; groups do not divide the rows; a linear layout has
  // padding.
  // Example:
  //
  //   static_assert(row_major(32, 32).permuted(rotation(1))(1, 31) == 32);
  BANKMODEL_FN layout permuted(const bankmodel::permutation& mapping) const {
    layout result = *this;
    result.permutation = mapping;
    result.require_one_to_one();
    return result;
  }

  // The number of rows (the product of all extents but the last), and of groups of elements in a
  // row.
  BANKMODEL_FN long long rows() const {
    long long result = 1;
    for (int d = 0; d < rank - 1; ++d) result = detail::checked_multiply(result, extent[d]);
    return result;
  }
  BANKMODEL_FN long long groups() const { return extent[rank - 1] / permutation.group; }

  // True if an element's number is a sum of multiples of its coordinates.
  BANKMODEL_FN bool is_strided() const {
    return interval == 0 && permutation.family == layout_family::rows;
  }

  bool operator==(const layout&) const = default;

 private:
  BANKMODEL_FN void require_one_to_one() const {
    if (permutation.family == layout_family::rows) return;
    if (interval != 0) rule::permutations_must_be_of_rows(rank);
    detail::functions_of(permutation).require(*this);
  }

  BANKMODEL_FN void set_strides(const detail::four& paddings) {
    stride[rank - 1] = 1;
    for (int d = rank - 2; d >= 0; --d)
      stride[d] =
          detail::checked_add(detail::checked_multiply(extent[d + 1], stride[d + 1]), paddings[d]);
  }
};

BANKMODEL_FN detail::four layout::coordinates(long long element) const {
  constexpr detail::four none{-1, 0, 0, 0};
  if (permutation.family != layout_family::rows)
    return detail::functions_of(permutation).coordinates(*this, element);
  if (element < 0 || element >= required_size()) return none;
  detail::four position;
  if (interval != 0) {
    position[0] = element - element / (interval + interval_padding) * interval_padding;
    return element % (interval + interval_padding) < interval && position[0] < extent[0] ? position
                                                                                         : none;
  }
  for (int d = 0; d < rank; ++d) {
    position[d] = element / stride[d];
    element %= stride[d];
    if (position[d] >= extent[d]) return none;
  }
  return position;
}

// Returns the layout of `T name[extents]...` in C.
// Requires: one to four extents, each 1 or more.
//
//   static_assert(row_major(32, 33)(1, 0) == 33);
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
  (void)result.required_size();
  return result;
}

}  // namespace bankmodel

#endif
