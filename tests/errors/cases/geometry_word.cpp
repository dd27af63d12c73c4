// SPDX-License-Identifier: MIT
// expect: N_must_not_exceed_W
#include <bankmodel/model/degree.hpp>

#ifdef BROKEN
constexpr bankmodel::geometry g{.bank_num = 32, .W = 4, .N = 8, .M = 4};
#else
constexpr bankmodel::geometry g{.bank_num = 32, .W = 8, .N = 8, .M = 4};
#endif
static_assert(bankmodel::degree(g, bankmodel::access_1d{.stride = 1}) == 1);
