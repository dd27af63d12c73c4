// SPDX-License-Identifier: MIT
// expect: accesses_must_be_aligned_to_their_width
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/model/wavefronts.hpp>

#ifdef BROKEN
constexpr bankmodel::request r{.address = {2}, .active = 1, .bytes = 4};
#else
constexpr bankmodel::request r{.address = {8}, .active = 1, .bytes = 4};
#endif
static_assert(bankmodel::wavefronts(bankmodel::nvidia::sm_90, r) == 1);
