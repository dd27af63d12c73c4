// SPDX-License-Identifier: MIT
// expect: a_dialect_must_be_given_a_plain_array
#include <bankmodel/interop/cute.hpp>

#ifdef BROKEN
constexpr bankmodel::layout tile = bankmodel::row_major(32, 32).padded(1);
#else
constexpr bankmodel::layout tile = bankmodel::row_major(32, 32);
#endif
static_assert(bankmodel::from_cute({5, 0, 5}, tile)(1, 1) == 32);
