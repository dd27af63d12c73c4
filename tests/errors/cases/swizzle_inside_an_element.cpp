// SPDX-License-Identifier: MIT
// expect: a_swizzle_of_bytes_must_keep_elements_whole
#include <bankmodel/layout/families.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr int base = 2;
#else
constexpr int base = 3;
#endif
static_assert(bm::xor_swizzle_in_bytes(3, base, 4, sizeof(double)) == bm::xor_swizzle(3, 0, 4));
