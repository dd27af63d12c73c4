// SPDX-License-Identifier: MIT
// expect: padding_of_a_dialect_must_follow_whole_rows
#include <bankmodel/interop/triton.hpp>

#ifdef BROKEN
constexpr int interval = 16;
#else
constexpr int interval = 32;
#endif
static_assert(bankmodel::from_triton(bankmodel::triton::padded_shared{interval, 4},
                                     bankmodel::row_major(32, 32))(1, 0) == 36);
