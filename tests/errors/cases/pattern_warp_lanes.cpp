// SPDX-License-Identifier: MIT
// expect: lanes_of_a_warp_must_be_1_to_32_or_64
#include <bankmodel/model/pattern.hpp>

#ifdef BROKEN
constexpr int lanes = 33;
#else
constexpr int lanes = 32;
#endif
static_assert(bankmodel::stride_pattern({1, 0, 0, 0, 1, 0}, 24, lanes, lanes).repeat_y == 1);
