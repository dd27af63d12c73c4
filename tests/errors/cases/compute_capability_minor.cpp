// SPDX-License-Identifier: MIT
// expect: minor_of_a_compute_capability_must_be_0_to_9
#include <bankmodel/machines/nvidia.hpp>

#ifdef BROKEN
constexpr int minor_number = 10;
#else
constexpr int minor_number = 0;
#endif
static_assert(bankmodel::nvidia::compute_capability(9, minor_number) == bankmodel::nvidia::sm_90);
