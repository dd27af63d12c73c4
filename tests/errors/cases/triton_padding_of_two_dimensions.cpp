// SPDX-License-Identifier: MIT
// expect: triton_must_pad_at_one_interval
#include <bankmodel/interop/triton.hpp>

#ifdef BROKEN
constexpr int of_planes = 2;
#else
constexpr int of_planes = 0;
#endif
static_assert(
    bankmodel::to_triton_padded(bankmodel::row_major(4, 8, 32).padded(1, 1).padded(of_planes, 0))
        .interval == 32);
