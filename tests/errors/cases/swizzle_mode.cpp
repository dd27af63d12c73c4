// SPDX-License-Identifier: MIT
// expect: a_copy_engine_must_swizzle_32_64_or_128_bytes
#include <bankmodel/layout/families.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr int mode = 256;
#else
constexpr int mode = 128;
#endif
static_assert(bm::copy_engine_swizzle(mode, 4) == bm::xor_swizzle(3, 2, 3));
