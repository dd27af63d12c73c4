// SPDX-License-Identifier: MIT
// expect: cuda_oxide_must_read_bits_above_those_it_changes
#include <bankmodel/interop/cuda_oxide.hpp>

#ifdef BROKEN
constexpr int source = 4;
#else
constexpr int source = 5;
#endif
static_assert(bankmodel::from_cuda_oxide({5, 0, source}, bankmodel::row_major(32, 32))(1, 1) == 32);
