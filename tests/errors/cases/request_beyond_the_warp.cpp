// SPDX-License-Identifier: MIT
// expect: active_lanes_must_be_of_the_warp
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/model/wavefronts.hpp>

#ifdef BROKEN
constexpr bankmodel::request r{.address = {}, .active = 0x1ffffffff};
#else
constexpr bankmodel::request r{.address = {}, .active = 0xffffffff};
#endif
static_assert(bankmodel::wavefronts(bankmodel::nvidia::sm_90, r) == 1);
