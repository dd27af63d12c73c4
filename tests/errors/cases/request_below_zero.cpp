// SPDX-License-Identifier: MIT
// expect: addresses_of_a_request_must_not_be_negative
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/model/wavefronts.hpp>

#ifdef BROKEN
constexpr bankmodel::request r{.address = {-128}, .active = 1};
#else
constexpr bankmodel::request r{.address = {128}, .active = 1};
#endif
static_assert(bankmodel::wavefronts(bankmodel::nvidia::sm_90, r) == 1);
