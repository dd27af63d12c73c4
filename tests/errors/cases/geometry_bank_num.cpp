// SPDX-License-Identifier: MIT
// expect: bank_num_must_be_a_power_of_two_up_to_256
#include <bankmodel/model/geometry.hpp>

#ifdef BROKEN
constexpr bankmodel::geometry g{.bank_num = 31, .W = 4, .N = 4, .M = 4};
#else
constexpr bankmodel::geometry g{.bank_num = 32, .W = 4, .N = 4, .M = 4};
#endif
static_assert(g.bank(0) == 0);
