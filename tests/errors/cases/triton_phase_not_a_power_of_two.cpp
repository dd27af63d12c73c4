// SPDX-License-Identifier: MIT
// expect: triton_must_swizzle_by_powers_of_two
#include <bankmodel/interop/triton.hpp>

#ifdef BROKEN
constexpr int vec = 6;
#else
constexpr int vec = 8;
#endif
static_assert(bankmodel::from_triton({vec, 2, 4}, bankmodel::row_major(64, 32))(2, 0) == 72);
