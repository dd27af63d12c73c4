// SPDX-License-Identifier: MIT
// expect: a_layout_must_have_the_extents_of_its_array
#include <bankmodel/kernel/array.hpp>

#ifdef BROKEN
constexpr int columns = 33;
#else
constexpr int columns = 32;
#endif
static_assert(bankmodel::shared_array<float>("a", 32, 32)
                  .with(bankmodel::row_major(32, columns).padded(1))
                  .layout.padding() == 1);
