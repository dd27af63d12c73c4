// SPDX-License-Identifier: MIT
// expect: compute_capability_must_be_a_known_one
// compilers: g++ clang++ nvcc
#include <bankmodel/machines/nvidia.hpp>

#ifdef BROKEN
constexpr int minor_number = 1;
#else
constexpr int minor_number = 0;
#endif
static_assert(bankmodel::nvidia::compute_capability(9, minor_number) == bankmodel::nvidia::sm_90);
