// SPDX-License-Identifier: MIT
// expect: a_warp_must_be_whole_rows_of_the_block_or_lie_in_one
#include <bankmodel/model/pattern.hpp>

#ifdef BROKEN
constexpr int block_x = 24;
#else
constexpr int block_x = 16;
#endif
static_assert(bankmodel::stride_pattern({1, 0, 0, 0, 1, 0}, 24, block_x, 32).stride_y == 24);
