// SPDX-License-Identifier: MIT
// expect: at_most_8_arrays_can_be_kept
#include <bankmodel/search/options.hpp>

constexpr auto a = bankmodel::shared_array<float>("a", 32);
#ifdef BROKEN
constexpr auto kept = bankmodel::arrays(a, a, a, a, a, a, a, a, a);
#else
constexpr auto kept = bankmodel::arrays(a, a, a, a, a, a, a, a);
#endif
static_assert(kept.contain(a.name));
