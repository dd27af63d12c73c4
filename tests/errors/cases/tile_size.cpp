// SPDX-License-Identifier: MIT
// expect: bankmodel: tile_view<..>::at<bytes>(memory) takes a multiple of the element's alignment
// expect-g++: a_tile_in_a_buffer_must_be_aligned_to_its_element<-4, 4>
// expect-clang++: a_tile_in_a_buffer_must_be_aligned_to_its_element<-4, 4>
// expect-g++: a_tile_in_a_buffer_must_be_aligned_to_its_element<6, 4>
// expect-clang++: a_tile_in_a_buffer_must_be_aligned_to_its_element<6, 4>
// expect: bankmodel: the index function of a permuted tile would leave 31 bits
// expect-g++: a_permuted_tile_must_be_indexed_in_31_bits<2499950000>
// expect-clang++: a_permuted_tile_must_be_indexed_in_31_bits<2499950000>
// expect: bankmodel: a tile's layout comes from row_major(extents...), and its bytes are counted
// expect-g++: a_tile_must_have_1_element_to_2_gigabytes<536870912, 4>
// expect-clang++: a_tile_must_have_1_element_to_2_gigabytes<536870912, 4>
// expect-g++: a_tile_must_have_1_element_to_2_gigabytes<0, 4>
// expect-clang++: a_tile_must_have_1_element_to_2_gigabytes<0, 4>
// expect: bankmodel: vector_of<T, Count> takes 1 element or more
// Tiles of too many elements, of none, in a buffer where they cannot be, and with an index that
// leaves 31 bits.
#include <bankmodel/tile.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr bool broken = true;
#else
constexpr bool broken = false;
#endif

// Of too many elements, of none, of an index that leaves 31 bits.
static_assert(
    bm::tile_view<float, bm::row_major(broken ? 1 << 14 : (1 << 14) - 1, 1 << 15)>::size_bytes > 0);
#ifdef BROKEN
constexpr bm::layout none{};
#else
constexpr bm::layout none = bm::row_major(1);
#endif
static_assert(sizeof(bm::tile<float, none>) == 16);
constexpr bm::layout tall =
    bm::row_major(broken ? 50000 : 40000, 3).permuted(bm::triangular(bm::triangle::of_rows));
BANKMODEL_FN int number(int at_row, int column) { return bm::element<tall>(at_row, column); }
static_assert(number(0, 1) == 1);

// In a buffer: before it, and not aligned.
using eight = bm::tile_view<float, bm::row_major(8, 8)>;
inline auto before(void* memory) { return eight::at<broken ? -4 : 0>(memory); }
inline auto skewed(void* memory) { return eight::at<broken ? 6 : 8>(memory); }

BANKMODEL_HOST_DEVICE inline const void* nothing(const bm::tile<float, bm::row_major(8, 8)>& t) {
  return &t.vector<broken ? 0 : 1>(1, 0);
}
