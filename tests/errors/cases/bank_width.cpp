// SPDX-License-Identifier: MIT
// expect: bank_width_must_be_one_that_the_machine_offers
#include <bankmodel/machines/nvidia.hpp>

#ifdef BROKEN
constexpr auto machine = bankmodel::nvidia::sm_90;
#else
constexpr auto machine = bankmodel::nvidia::sm_35;
#endif
static_assert(machine.with_bank_width(8).bank_width == 8);
