// SPDX-License-Identifier: MIT
// expect: bankmodel: a wide access that is aligned in one row is not in the next
// expect-g++: rows_must_keep_wide_accesses_aligned<132, 16>
// expect-clang++: rows_must_keep_wide_accesses_aligned<132, 16>
#include <bankmodel/tile.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr int padding = 1;
#else
constexpr int padding = 4;
#endif
BANKMODEL_HOST_DEVICE inline float fourth(
    const bm::tile<float, bm::row_major(32, 32).padded(padding)>& t) {
  return t.vector<4>(1, 0)[3];
}
