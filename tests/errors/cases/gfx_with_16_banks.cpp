// SPDX-License-Identifier: MIT
// expect: a_gfx_must_have_known_phases
#include <bankmodel/machines/amd.hpp>

#ifdef BROKEN
static_assert(bankmodel::amd::gfx("gfx810").lanes == 64);
#else
static_assert(bankmodel::amd::gfx("gfx805").lanes == 64);
#endif
