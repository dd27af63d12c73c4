// SPDX-License-Identifier: MIT
// expect: groups_must_be_powers_of_two_that_fit_the_rows
#include <bankmodel/layout/families.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr bm::permutation chunks = bm::xor_swizzle(3, 0, 3).in_groups_of(4);
#else
constexpr bm::permutation chunks = bm::xor_swizzle(3, 2, 3);
#endif
static_assert(chunks.group == 4);
