// SPDX-License-Identifier: MIT
// expect: lanes_must_be_1_to_256
#include <bankmodel/model/degree.hpp>

#ifdef BROKEN
constexpr int lanes = 257;
#else
constexpr int lanes = 256;
#endif
static_assert(bankmodel::degree(bankmodel::bank_geometry<32, 4, 4, 4>{},
                                bankmodel::access_1d{.stride = 0, .lanes = lanes}) == 1);
