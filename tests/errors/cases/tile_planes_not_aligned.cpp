// SPDX-License-Identifier: MIT
// expect: rows_must_keep_wide_accesses_aligned<584, 16>
// Rows of 64 bytes, but planes of 9 rows and two elements.
#include <bankmodel/tile.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr int padding = 2;
#else
constexpr int padding = 4;
#endif
inline float fourth(const bm::tile_view<float, bm::row_major(4, 9, 16).padded(padding, 0)>& t) {
  return t.vector<4>(1, 0, 0)[3];
}
