// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_DETAIL_TILE_PARTS_HPP
#define BANKMODEL_LAYOUT_DETAIL_TILE_PARTS_HPP

#include <bankmodel/layout/detail/device_index.hpp>
#include <bankmodel/layout/families.hpp>

// The parts of tiles: their rules, their storage as nested arrays, and wide accesses to it.
namespace bankmodel {

// These rules are types, because their values are constants: each compiler prints them.
namespace rule {
template <long long Elements, long long ElementBytes>
struct a_tile_must_have_1_element_to_2_gigabytes {
  static_assert(Elements >= 1 && Elements <= 0x7fffffff / ElementBytes,
                "bankmodel: a tile's layout comes from row_major(extents...), and its bytes are "
                "counted in 31 bits, see "
                "a_tile_must_have_1_element_to_2_gigabytes<elements, bytes of one>");
  static constexpr bool value = true;  // reading it instantiates the line above
};

template <long long Bytes, long long ElementBytes>
struct wide_accesses_must_have_1_2_4_8_12_or_16_bytes {
  static_assert(
      Bytes % ElementBytes == 0 && (Bytes == 12 || (Bytes <= 16 && detail::is_power_of_two(Bytes))),
      "bankmodel: a wide access consists of whole elements, 1, 2, 4, 8, 12 or 16 bytes in all, see "
      "wide_accesses_must_have_1_2_4_8_12_or_16_bytes<bytes, bytes of an element>");
  static constexpr bool value = true;
};

template <long long RowBytes, long long Alignment>
struct rows_must_keep_wide_accesses_aligned {
  static_assert(RowBytes % Alignment == 0,
                "bankmodel: a wide access that is aligned in one row is not aligned in the next; "
                "pad the rows to a multiple of its alignment, "
                "see rows_must_keep_wide_accesses_aligned<bytes from row to row, alignment>");
  static constexpr bool value = true;
};

template <long long Interval, long long Elements>
struct intervals_must_hold_whole_wide_accesses {
  static_assert(
      Interval % Elements == 0,
      "bankmodel: padding separates the elements of a wide access; pad every multiple of its "
      "elements, see "
      "intervals_must_hold_whole_wide_accesses<elements in an interval, elements of the access>");
  static constexpr bool value = true;
};

template <long long Elements, long long Group>
struct permuted_groups_must_hold_whole_wide_accesses_of_a_tile {
  static_assert(Group % Elements == 0,
                "bankmodel: a permutation separates the elements of a wide access; permute groups "
                "of whole accesses (XOR swizzle: a larger base, and a row stride that is a "
                "multiple of it), see "
                "permuted_groups_must_hold_whole_wide_accesses_of_a_tile<elements of the access, "
                "elements that stay together>");
  static constexpr bool value = true;
};

template <long long Bytes, long long Alignment>
struct a_tile_in_a_buffer_must_be_aligned_to_its_element {
  static_assert(Bytes >= 0 && Bytes % Alignment == 0,
                "bankmodel: tile_view<..>::at<bytes>(memory) takes a multiple of the element's "
                "alignment that is not negative, see "
                "a_tile_in_a_buffer_must_be_aligned_to_its_element<bytes, alignment>");
  static constexpr bool value = true;
};
}  // namespace rule

namespace detail {

// A plane with unused elements after its rows that are not whole rows.
template <class Row, long long Rows, class T, long long Unused>
struct padded_plane {
  Row rows[Rows];
  T unused[Unused];

  BANKMODEL_FN Row& operator[](int row) { return rows[row]; }
  BANKMODEL_FN const Row& operator[](int row) const { return rows[row]; }
};

// `Count` times Inner, then `Unused` elements of T.
template <class Inner, long long Count, class T, long long InnerElements, long long Unused>
struct followed_by {
  using type = padded_plane<Inner, Count, T, Unused>;
};
template <class Inner, long long Count, class T, long long InnerElements, long long Unused>
  requires(Unused % InnerElements == 0)
struct followed_by<Inner, Count, T, InnerElements, Unused> {
  using type = Inner[Count + Unused / InnerElements];
};

// L's storage as an array in C, T[32][33]. Compilers optimize its subscripts better than a sum of
// products: in a stencil they keep values in registers instead of loading them again
// (tests/device/tile_instructions.cu).
template <class T, layout L, int Dimension = 0>
struct nested {
  static constexpr auto elements = Dimension == 0 ? L.required_size() : L.stride[Dimension - 1];
  using type = typename followed_by<typename nested<T, L, Dimension + 1>::type, L.extent[Dimension],
                                    T, L.stride[Dimension],
                                    elements - L.extent[Dimension] * L.stride[Dimension]>::type;
};
template <class T, layout L, int Dimension>
  requires(Dimension == L.rank)
struct nested<T, L, Dimension> {
  using type = T;
};

// A permutation across rows has one dimension of storage.
template <class T, layout L>
struct storage {
  using type = typename nested<T, L>::type;
};
template <class T, layout L>
  requires(is_placed_as_a_whole<L>())
struct storage<T, L> {
  using type = T[L.required_size()];
};

template <int Rank, class Array>
BANKMODEL_FN auto& element_of(Array& array, const place& position) {
  if constexpr (Rank == 1)
    return array[position.dimension_0];
  else if constexpr (Rank == 2)
    return array[position.dimension_0][position.dimension_1];
  else if constexpr (Rank == 3)
    return array[position.dimension_0][position.dimension_1][position.dimension_2];
  else
    return array[position.dimension_0][position.dimension_1][position.dimension_2]
                [position.dimension_3];
}

// The stride of a dimension of rows in bytes; 0 if there is none. In an array of one dimension the
// intervals between padding are its rows.
template <class T, layout L>
BANKMODEL_FN long long row_step(int dimension) {
  const bool padded = dimension == 0 && L.interval != 0;
  const auto elements = dimension < L.rank - 1 ? L.stride[dimension]
                        : padded               ? L.interval + L.interval_padding
                                               : 0;
  return elements * static_cast<long long>(sizeof(T));
}

template <class Wide, layout L, class T>
BANKMODEL_FN bool allows_wide() {
  return rule::wide_accesses_must_have_1_2_4_8_12_or_16_bytes<sizeof(Wide), sizeof(T)>::value &&
         rule::intervals_must_hold_whole_wide_accesses<L.interval,
                                                       sizeof(Wide) / sizeof(T)>::value &&
         rule::permuted_groups_must_hold_whole_wide_accesses_of_a_tile<
             sizeof(Wide) / sizeof(T), elements_kept_together(L)>::value &&
         rule::rows_must_keep_wide_accesses_aligned<row_step<T, L>(0), alignof(Wide)>::value &&
         rule::rows_must_keep_wide_accesses_aligned<row_step<T, L>(1), alignof(Wide)>::value &&
         rule::rows_must_keep_wide_accesses_aligned<row_step<T, L>(2), alignof(Wide)>::value;
}

// `first` and its next neighbours in the row.
template <class Wide, layout L, class T>
BANKMODEL_HOST_DEVICE Wide& wide(T& first) {
  static_assert(allows_wide<Wide, L, T>());
  return reinterpret_cast<Wide&>(first);
}
template <class Wide, layout L, class T>
BANKMODEL_HOST_DEVICE const Wide& wide(const T& first) {
  static_assert(allows_wide<Wide, L, T>());
  return reinterpret_cast<const Wide&>(first);
}

template <class T>
T without_const(const T*);  // for its type

}  // namespace detail

}  // namespace bankmodel

#endif
