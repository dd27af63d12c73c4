// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_HPP
#define BANKMODEL_LAYOUT_HPP

#include <bankmodel/detail/arithmetic.hpp>
#include <bankmodel/detail/array.hpp>

namespace bankmodel {

constexpr int max_rank = 4;

namespace rule {
[[noreturn]] BANKMODEL_FN inline void an_array_must_have_one_to_four_extents(long long rank) {
  detail::fail("an_array_must_have_one_to_four_extents", "an array with % extents; fold the outer ones into one", rank);
}
[[noreturn]] BANKMODEL_FN inline void extents_must_be_positive(long long dimension, long long extent) {
  detail::fail("extents_must_be_positive", "extent % of an array is %; use 1 or more", dimension, extent);
}
[[noreturn]] BANKMODEL_FN inline void padding_must_not_be_negative(long long elements) {
  detail::fail("padding_must_not_be_negative", "a padding of % elements; use 0 or more", elements);
}
[[noreturn]] BANKMODEL_FN inline void padding_must_be_of_a_dimension_of_rows(long long dimension, long long rank) {
  detail::fail("padding_must_be_of_a_dimension_of_rows",
               "padding along dimension % of an array of %; the last dimension's elements are neighbours: use 0 to rank - 2, or padded_every() "
               "for one dimension",
               dimension, rank);
}
[[noreturn]] BANKMODEL_FN inline void intervals_must_be_of_one_dimension_and_positive(long long rank, long long every) {
  detail::fail("intervals_must_be_of_one_dimension_and_positive",
               "padded_every(%, ..) of an array of % dimensions; pad the rows of an array of several dimensions, and every 1 or more elements",
               every, rank);
}
[[noreturn]] BANKMODEL_FN inline void coordinates_must_match_the_rank(long long given, long long rank) {
  detail::fail("coordinates_must_match_the_rank", "% coordinates for an array of % dimensions; give one for each", given, rank);
}
}  // namespace rule

// Which element of storage holds which coordinates of an array of one to four dimensions, the last one contiguous.
// A layout knows nothing of banks. It has scalar members only, so that nvcc takes it as a template argument.
//   row_major(32, 32)(1, 0)           is 32
//   row_major(32, 32).padded(1)(1, 0) is 33
struct layout {
  int rank = 0;
  detail::four extent;  // elements in each dimension
  detail::four pitch;   // elements from one coordinate to the next in each dimension
  // One dimension only: behind every `interval` elements that many are unused. 0 and 0 for none.
  long long interval = 0, interval_padding = 0;

  // The element of storage at these coordinates, as many as the rank. No bounds are checked.
  template <detail::number... Coordinates>
  BANKMODEL_FN constexpr long long operator()(Coordinates... coordinates) const {
    if (static_cast<int>(sizeof...(coordinates)) != rank) rule::coordinates_must_match_the_rank(sizeof...(coordinates), rank);
    long long element = 0;
    int dimension = 0;
    ((element += static_cast<long long>(coordinates) * pitch[dimension++]), ...);
    return interval == 0 ? element : element + element / interval * interval_padding;
  }

  // Elements of storage, unused ones included.
  BANKMODEL_FN constexpr long long size() const {
    if (interval != 0) return detail::checked_add(extent[0], detail::checked_multiply((extent[0] - 1) / interval, interval_padding));
    return detail::checked_multiply(extent[0], pitch[0]);
  }

  // Unused elements at the end of each row; 0 for one dimension.
  BANKMODEL_FN constexpr long long padding() const { return rank < 2 ? 0 : padding(rank - 2); }

  // Unused elements behind all of a coordinate of that dimension, the first being 0: of [planes][rows][columns],
  // padding(1) is the padding of each row, padding(0) of each plane.
  BANKMODEL_FN constexpr long long padding(int dimension) const {
    if (dimension < 0 || dimension > rank - 2) rule::padding_must_be_of_a_dimension_of_rows(dimension, rank);
    return pitch[dimension] - extent[dimension + 1] * pitch[dimension + 1];
  }

  // The same array with that many unused elements at the end of each row, and none elsewhere.
  BANKMODEL_FN constexpr layout padded(long long elements) const {
    if (elements < 0) rule::padding_must_not_be_negative(elements);
    layout result = *this;
    result.set_pitches(detail::four{});
    return rank < 2 || elements == 0 ? result : result.padded(elements, rank - 2);
  }

  // The same array with that many unused elements behind each coordinate of one dimension; others keep their padding.
  // row_major(4, 8, 32).padded(1, 1).padded(2, 0) has planes of 8 * 33 + 2 elements.
  BANKMODEL_FN constexpr layout padded(long long elements, int dimension) const {
    if (dimension < 0 || dimension > rank - 2) rule::padding_must_be_of_a_dimension_of_rows(dimension, rank);
    if (elements < 0) rule::padding_must_not_be_negative(elements);
    detail::four paddings;
    for (int d = 0; d < rank - 1; ++d) paddings[d] = padding(d);
    paddings[dimension] = elements;
    layout result = *this;
    result.set_pitches(paddings);
    return result;
  }

  // The same array of one dimension with `elements` unused ones behind every `every` elements, as scans and FFTs use it:
  // row_major(1024).padded_every(32, 1)(32) is 33.
  BANKMODEL_FN constexpr layout padded_every(long long every, long long elements) const {
    if (rank != 1 || every < 1) rule::intervals_must_be_of_one_dimension_and_positive(rank, every);
    if (elements < 0) rule::padding_must_not_be_negative(elements);
    layout result = *this;
    result.interval = elements == 0 ? 0 : every;
    result.interval_padding = elements;
    return result;
  }

  bool operator==(const layout&) const = default;

 private:
  BANKMODEL_FN constexpr void set_pitches(const detail::four& paddings) {
    pitch[rank - 1] = 1;
    for (int d = rank - 2; d >= 0; --d) pitch[d] = detail::checked_add(detail::checked_multiply(extent[d + 1], pitch[d + 1]), paddings[d]);
  }
};

// The layout of `T name[extents]...` in C: row_major(32, 33)(1, 0) is 33. One to four extents, each 1 or more.
template <detail::number... Extents>
BANKMODEL_FN constexpr layout row_major(Extents... extents) {
  constexpr int rank = static_cast<int>(sizeof...(extents));
  if (rank < 1 || rank > max_rank) rule::an_array_must_have_one_to_four_extents(rank);
  layout result{.rank = rank, .extent = {}, .pitch = {}};
  int dimension = 0;
  ((result.extent[dimension++] = static_cast<long long>(extents)), ...);
  for (dimension = 0; dimension < rank; ++dimension)
    if (result.extent[dimension] < 1) rule::extents_must_be_positive(dimension, result.extent[dimension]);
  result = result.padded(0);
  (void)result.size();
  return result;
}

}  // namespace bankmodel

#endif
