// SPDX-License-Identifier: MIT
// expect: a_gfx_must_be_a_known_one
#include <bankmodel/machines/amd.hpp>

#ifdef BROKEN
static_assert(bankmodel::amd::gfx("gfx943").lanes == 64);
#else
static_assert(bankmodel::amd::gfx("gfx942").lanes == 64);
#endif
