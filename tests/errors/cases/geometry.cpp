// SPDX-License-Identifier: MIT
// expect: bank_num_must_be_a_power_of_two_up_to_256
// expect: M_must_not_exceed_W
// compilers: g++ clang++ nvcc
// A geometry that is a value, and a double on 4-byte banks: a question for a machine, not for a
// geometry.
#include <bankmodel/model/degree.hpp>

#ifdef BROKEN
constexpr int bank_num = 31, W = 4;
#else
constexpr int bank_num = 32, W = 8;
#endif
static_assert(bankmodel::geometry{.bank_num = bank_num, .W = 4, .N = 4, .M = 4}.bank(0) == 0);
static_assert(bankmodel::degree(bankmodel::geometry{.bank_num = 32, .W = W, .N = 4, .M = 8},
                                bankmodel::access_1d{.stride = 1}) == 1);
