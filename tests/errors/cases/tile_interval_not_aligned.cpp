// SPDX-License-Identifier: MIT
// expect: rows_must_keep_wide_accesses_aligned<132, 16>
#include <bankmodel/tile.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr int padding = 1;
#else
constexpr int padding = 4;
#endif
inline float fourth(const bm::tile<float, bm::row_major(64).padded_every(32, padding)>& t) {
  return t.vector<4>(32)[3];
}
