// SPDX-License-Identifier: MIT
// expect: W_N_and_M_must_be_powers_of_two_up_to_1024
#include <bankmodel/model/geometry.hpp>

#ifdef BROKEN
constexpr bankmodel::geometry g{.bank_num = 32, .W = 8, .N = 4, .M = 0};
#else
constexpr bankmodel::geometry g{.bank_num = 32, .W = 8, .N = 4, .M = 1};
#endif
static_assert(g.layer(0) == 0);
