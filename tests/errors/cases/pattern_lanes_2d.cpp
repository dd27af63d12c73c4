// SPDX-License-Identifier: MIT
// expect: lanes_must_be_1_to_256
#include <bankmodel/model/degree.hpp>

#ifdef BROKEN
constexpr int repeat_y = 17;
#else
constexpr int repeat_y = 16;
#endif
static_assert(bankmodel::degree(bankmodel::bank_geometry<32, 4, 4, 4>{},
                                bankmodel::access_2d{0, 16, 0, repeat_y}) == 1);
