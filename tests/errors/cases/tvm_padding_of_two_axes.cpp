// SPDX-License-Identifier: MIT
// expect: tvm_must_align_the_stride_of_one_axis
#include <bankmodel/interop/tvm.hpp>

#ifdef BROKEN
constexpr int of_planes = 2;
#else
constexpr int of_planes = 0;
#endif
static_assert(
    bankmodel::to_tvm(bankmodel::row_major(4, 8, 32).padded(1, 1).padded(of_planes, 0)).axis == 1);
