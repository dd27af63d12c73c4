// SPDX-License-Identifier: MIT
// expect: a_swizzle_of_a_dialect_must_not_pad
#include <bankmodel/interop/cute.hpp>

#ifdef BROKEN
constexpr int padding = 1;
#else
constexpr int padding = 0;
#endif
static_assert(bankmodel::to_cute(bankmodel::row_major(32, 32).padded(padding)).B == 0);
