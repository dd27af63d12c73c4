// SPDX-License-Identifier: MIT
// expect: padding_must_not_be_negative
#include <bankmodel/layout/layout.hpp>

#ifdef BROKEN
constexpr int padding = -1;
#else
constexpr int padding = 1;
#endif
static_assert(bankmodel::row_major(32, 32).padded(padding).padding() == 1);
