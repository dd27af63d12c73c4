// SPDX-License-Identifier: MIT
// expect: M_must_not_exceed_W
// A double on 4-byte banks is a question for a machine, not for a geometry.
#include <bankmodel/model/degree.hpp>

#ifdef BROKEN
constexpr bankmodel::geometry g{.bank_num = 32, .W = 4, .N = 4, .M = 8};
#else
constexpr bankmodel::geometry g{.bank_num = 32, .W = 8, .N = 4, .M = 8};
#endif
static_assert(bankmodel::degree(g, bankmodel::access_1d{.stride = 1}) == 1);
