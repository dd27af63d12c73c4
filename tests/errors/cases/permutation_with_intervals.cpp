// SPDX-License-Identifier: MIT
// expect: permutations_must_be_of_rows
// Padded after it was permuted.
#include <bankmodel/layout/families.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr int padding = 1;
#else
constexpr int padding = 0;
#endif
static_assert(
    bm::row_major(1024).permuted(bm::xor_swizzle(5, 0, 5)).padded_every(32, padding).size() ==
    1024);
