// SPDX-License-Identifier: MIT
// expect: bankmodel: a permutation tears the elements of a wide access apart
// expect-g++: permuted_groups_must_hold_whole_wide_accesses_of_a_tile<4, 2>
// expect-clang++: permuted_groups_must_hold_whole_wide_accesses_of_a_tile<4, 2>
#include <bankmodel/tile.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr int group = 2;
#else
constexpr int group = 4;
#endif
constexpr bm::layout rotated = bm::row_major(32, 32).permuted(bm::rotation(1).in_groups_of(group));
BANKMODEL_HOST_DEVICE inline float fourth(const bm::tile<float, rotated>& t) {
  return t.vector<4>(1, 0)[3];
}
