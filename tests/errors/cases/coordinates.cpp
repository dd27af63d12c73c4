// SPDX-License-Identifier: MIT
// expect: coordinates_must_match_the_rank
#include <bankmodel/layout/layout.hpp>

constexpr auto tile = bankmodel::row_major(32, 32);
#ifdef BROKEN
static_assert(tile(33) == 33);
#else
static_assert(tile(1, 1) == 33);
#endif
