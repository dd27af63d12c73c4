// SPDX-License-Identifier: MIT
// expect: storage_align_must_name_an_axis_and_a_factor
#include <bankmodel/interop/tvm.hpp>

#ifdef BROKEN
constexpr int axis = 2;
#else
constexpr int axis = -2;
#endif
static_assert(bankmodel::from_tvm({axis, 2, 1}, bankmodel::row_major(32, 32))(1, 0) == 33);
