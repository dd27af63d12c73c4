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

  // The element of storage at these coordinates, as many as the rank. No bounds are checked.
  template <detail::number... Coordinates>
  BANKMODEL_FN constexpr long long operator()(Coordinates... coordinates) const {
    if (static_cast<int>(sizeof...(coordinates)) != rank) rule::coordinates_must_match_the_rank(sizeof...(coordinates), rank);
    long long element = 0;
    int dimension = 0;
    ((element += static_cast<long long>(coordinates) * pitch[dimension++]), ...);
    return element;
  }

  // Elements of storage, unused ones included.
  BANKMODEL_FN constexpr long long size() const { return detail::checked_multiply(extent[0], pitch[0]); }

  // Unused elements at the end of each row; 0 for one dimension.
  BANKMODEL_FN constexpr long long padding() const { return rank < 2 ? 0 : pitch[rank - 2] - extent[rank - 1]; }

  // The same array with that many unused elements at the end of each row.
  BANKMODEL_FN constexpr layout padded(long long elements) const {
    if (elements < 0) rule::padding_must_not_be_negative(elements);
    layout result = *this;
    long long pitch_so_far = 1;
    for (int dimension = rank - 1; dimension >= 0; --dimension) {
      result.pitch[dimension] = pitch_so_far;
      pitch_so_far = detail::checked_multiply(pitch_so_far, dimension == rank - 1 ? detail::checked_add(extent[dimension], elements)
                                                                                  : extent[dimension]);
    }
    return result;
  }

  bool operator==(const layout&) const = default;
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
