// SPDX-License-Identifier: MIT
// expect: triton_must_pad_by_powers_of_two
#include <bankmodel/interop/triton.hpp>

#ifdef BROKEN
constexpr int padding = 3;
#else
constexpr int padding = 4;
#endif
static_assert(bankmodel::to_triton_padded(bankmodel::row_major(32, 32).padded(padding)).interval ==
              32);
