// SPDX-License-Identifier: MIT
// expect: entries_of_a_transformation_must_have_at_most_24_bits
#include <bankmodel/layout/families.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr long long b = 1 << 24;
#else
constexpr long long b = 0;
#endif
static_assert(bm::row_major(32, 32).permuted(bm::modular({1, b, 0, 1})).size() == 1024);
