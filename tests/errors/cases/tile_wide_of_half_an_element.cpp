// SPDX-License-Identifier: MIT
// expect: wide_accesses_must_have_1_2_4_8_12_or_16_bytes<4, 8>
#include <bankmodel/tile.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
using wide = float;
#else
using wide = bm::vector_of<float, 2>;
#endif
inline const wide& first(const bm::tile<double, bm::row_major(8, 8)>& t) {
  return t.as<wide>(1, 0);
}
