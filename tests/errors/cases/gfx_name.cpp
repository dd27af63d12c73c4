// SPDX-License-Identifier: MIT
// expect: a_gfx_name_must_be_gfx_and_its_number
#include <bankmodel/machines/amd.hpp>

#ifdef BROKEN
static_assert(bankmodel::amd::gfx("gfx9-generic") == bankmodel::amd::gfx906);
#else
static_assert(bankmodel::amd::gfx("gfx906:sramecc+:xnack-") == bankmodel::amd::gfx906);
#endif
