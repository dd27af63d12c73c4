// SPDX-License-Identifier: MIT
// expect: intervals_must_be_of_one_dimension_and_positive
#include <bankmodel/layout/layout.hpp>

#ifdef BROKEN
constexpr int every = 0;
#else
constexpr int every = 32;
#endif
static_assert(bankmodel::row_major(1024).padded_every(every, 1)(32) == 33);
