// SPDX-License-Identifier: MIT
// expect: a_swizzle_of_a_dialect_must_be_one_xor
#include <bankmodel/interop/cute.hpp>

#ifdef BROKEN
constexpr int step = 1;
#else
constexpr int step = 16;
#endif
static_assert(
    bankmodel::to_cute(bankmodel::row_major(32, 32).permuted(bankmodel::rotation(step))).B == 1);
