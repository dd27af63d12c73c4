// SPDX-License-Identifier: MIT
// expect: index_arithmetic_must_fit_in_64_bits
#include <bankmodel/layout/layout.hpp>

#ifdef BROKEN
constexpr long long rows = 1ll << 32;
#else
constexpr long long rows = 1ll << 30;
#endif
static_assert(bankmodel::row_major(rows, 1ll << 31).size() == rows << 31);
