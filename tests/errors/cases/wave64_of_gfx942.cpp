// SPDX-License-Identifier: MIT
// expect: wave64_is_a_mode_of_gfx1010_to_gfx1201
#include <bankmodel/machines/amd.hpp>

#ifdef BROKEN
constexpr bankmodel::machine one = bankmodel::amd::gfx942;
#else
constexpr bankmodel::machine one = bankmodel::amd::gfx1100;
#endif
static_assert(bankmodel::amd::in_wave64(one).lanes == 64);
