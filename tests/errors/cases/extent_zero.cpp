// SPDX-License-Identifier: MIT
// expect: extents_must_be_positive
#include <bankmodel/kernel/array.hpp>

#ifdef BROKEN
constexpr int columns = 0;
#else
constexpr int columns = 1;
#endif
static_assert(bankmodel::shared_array<float>("a", 32, columns).layout.rank == 2);
