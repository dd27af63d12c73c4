// SPDX-License-Identifier: MIT
// expect: a_tile_must_have_1_element_to_2_gigabytes<0, 4>
#include <bankmodel/tile.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr bm::layout none{};
#else
constexpr bm::layout none = bm::row_major(1);
#endif
static_assert(sizeof(bm::tile<float, none>) == 16);
