// SPDX-License-Identifier: MIT
// expect: padding_must_be_of_a_dimension_of_rows
#include <bankmodel/layout/layout.hpp>

#ifdef BROKEN
constexpr int dimension = 1;
#else
constexpr int dimension = 0;
#endif
static_assert(bankmodel::row_major(32, 32).padded(1, dimension).padding() == 1);
