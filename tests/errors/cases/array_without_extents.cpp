// SPDX-License-Identifier: MIT
// expect: an_array_must_have_one_to_four_extents
#include <bankmodel/kernel/array.hpp>

#ifdef BROKEN
constexpr auto a = bankmodel::shared_array<float>("a");
#else
constexpr auto a = bankmodel::shared_array<float>("a", 1);
#endif
static_assert(a.layout.rank == 1);
