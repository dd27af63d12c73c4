// SPDX-License-Identifier: MIT
// expect: bankmodel: a tile's layout comes from row_major(extents...), and its bytes are counted
// in 31 bits expect: a_tile_must_have_1_element_to_2_gigabytes<536870912, 4>
#include <bankmodel/tile.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr int rows = 1 << 14;
#else
constexpr int rows = (1 << 14) - 1;
#endif
static_assert(bm::tile_view<float, bm::row_major(rows, 1 << 15)>::size_bytes > 0);
