// SPDX-License-Identifier: MIT
// expect: bankmodel: a tile takes one coordinate for each dimension of its layout
// expect-g++: coordinates_of_a_tile_must_match_the_rank<1, 2>
// expect-clang++: coordinates_of_a_tile_must_match_the_rank<1, 2>
// expect-nvcc: Given=1
// expect-nvcc: Rank=2
// expect-g++: bankmodel: a wide access that is aligned in one row is not aligned in the next
// expect-clang++: bankmodel: a wide access that is aligned in one row is not aligned in the next
// expect-g++: rows_must_keep_wide_accesses_aligned<132, 16>
// expect-clang++: rows_must_keep_wide_accesses_aligned<132, 16>
// expect-g++: rows_must_keep_wide_accesses_aligned<584, 16>
// expect-clang++: rows_must_keep_wide_accesses_aligned<584, 16>
// expect-g++: rows_must_keep_wide_accesses_aligned<164, 16>
// expect-clang++: rows_must_keep_wide_accesses_aligned<164, 16>
// expect-g++: bankmodel: padding separates the elements of a wide access
// expect-clang++: bankmodel: padding separates the elements of a wide access
// expect-g++: intervals_must_hold_whole_wide_accesses<6, 4>
// expect-clang++: intervals_must_hold_whole_wide_accesses<6, 4>
// expect-g++: bankmodel: a permutation separates the elements of a wide access
// expect-clang++: bankmodel: a permutation separates the elements of a wide access
// expect-g++: permuted_groups_must_hold_whole_wide_accesses_of_a_tile<4, 2>
// expect-clang++: permuted_groups_must_hold_whole_wide_accesses_of_a_tile<4, 2>
// expect-g++: bankmodel: a wide access consists of whole elements, 1, 2, 4, 8, 12 or 16 bytes
// expect-clang++: bankmodel: a wide access consists of whole elements, 1, 2, 4, 8, 12 or 16
// expect-g++: wide_accesses_must_have_1_2_4_8_12_or_16_bytes<32, 8>
// expect-clang++: wide_accesses_must_have_1_2_4_8_12_or_16_bytes<32, 8>
// expect-g++: wide_accesses_must_have_1_2_4_8_12_or_16_bytes<4, 8>
// expect-clang++: wide_accesses_must_have_1_2_4_8_12_or_16_bytes<4, 8>
// compilers: g++ clang++ nvcc
// Coordinates and wide accesses that are errors of types, with the numbers as template arguments.
// Each is of another type here, so that all are reported. (nvcc stops after the first.)
#include <bankmodel/tile.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr bool broken = true;
#else
constexpr bool broken = false;
#endif

BANKMODEL_HOST_DEVICE inline float corner(const bm::tile<float, bm::row_major(32, 33)>& t) {
#ifdef BROKEN
  return t(32);
#else
  return t(1, 0);
#endif
}

// Wide accesses: rows, planes and intervals that do not keep them aligned, padding inside one,
// elements that a permutation separates.
constexpr int row = broken ? 1 : 4, plane = broken ? 2 : 4, interval = broken ? 6 : 4,
              group = broken ? 2 : 4;
constexpr bm::layout rows = bm::row_major(32, 32).padded(row),
                     planes = bm::row_major(4, 9, 16).padded(plane, 0),
                     every_40 = bm::row_major(80).padded_every(40, row),
                     inside = bm::row_major(64).padded_every(interval, 8 - interval),
                     apart = bm::row_major(32, 32).permuted(bm::rotation(1).in_groups_of(group));
BANKMODEL_HOST_DEVICE inline float of_rows(const bm::tile<float, rows>& t) {
  return t.vector<4>(1, 0)[3];
}
BANKMODEL_HOST_DEVICE inline float of_planes(const bm::tile_view<float, planes>& t) {
  return t.vector<4>(1, 0, 0)[3];
}
BANKMODEL_HOST_DEVICE inline float of_intervals(const bm::tile<float, every_40>& t) {
  return t.vector<4>(40)[3];
}
BANKMODEL_HOST_DEVICE inline float across_padding(const bm::tile<float, inside>& t) {
  return t.vector<4>(4)[3];
}
BANKMODEL_HOST_DEVICE inline float torn(const bm::tile<float, apart>& t) {
  return t.vector<4>(1, 0)[3];
}

// Too many bytes; half an element.
using doubles = bm::tile<double, bm::row_major(8, 8)>;
#ifdef BROKEN
using wide = float;
#else
using wide = bm::vector_of<float, 2>;
#endif
BANKMODEL_HOST_DEVICE inline double too_wide(const doubles& t) {
  return t.vector<broken ? 4 : 2>(1, 0)[0];
}
BANKMODEL_HOST_DEVICE inline const wide& half(const doubles& t) { return t.as<wide>(1, 0); }
