// SPDX-License-Identifier: MIT
// expect: bankmodel: a wide access takes whole elements, together 1, 2, 4, 8, 12 or 16 bytes
// expect: wide_accesses_must_have_1_2_4_8_12_or_16_bytes<32, 8>
#include <bankmodel/tile.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr int elements = 4;
#else
constexpr int elements = 2;
#endif
inline double first(const bm::tile<double, bm::row_major(8, 8)>& t) {
  return t.vector<elements>(1, 0)[0];
}
