// SPDX-License-Identifier: MIT
// expect: arrays_of_triton_must_have_extents_of_powers_of_two
#include <bankmodel/interop/triton.hpp>

#ifdef BROKEN
constexpr int columns = 48;
#else
constexpr int columns = 64;
#endif
static_assert(bankmodel::to_triton_swizzled(bankmodel::row_major(32, columns)).vec == 1);
