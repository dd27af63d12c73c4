// SPDX-License-Identifier: MIT
// expect: a_swizzle_must_move_bits_from_elsewhere
#include <bankmodel/layout/families.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr int shift = 2;
#else
constexpr int shift = 3;
#endif
static_assert(bm::xor_swizzle(3, 0, shift).group == 1);
