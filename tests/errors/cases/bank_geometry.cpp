// SPDX-License-Identifier: MIT
// expect: bankmodel: bank_num must be a power of two up to 256
// expect: bankmodel: W, N and M of bank_geometry<bank_num, W, N, M> must be powers of two up to
// expect: a word of N bytes must not exceed a layer of W bytes
// expect: an element of M bytes must not exceed a layer of W bytes
// expect-g++: bank_geometry<31, 4, 4, 4>
// expect-clang++: bank_geometry<31, 4, 4, 4>
// expect: bank_geometry<512, 4, 4, 4>
// expect: bank_geometry<32, 8, 4, 3>
// expect: bank_geometry<32, 4, 8, 4>
// expect: bank_geometry<32, 4, 4, 8>
// A geometry whose wrong numbers are errors of the type itself.
#include <bankmodel/model/geometry.hpp>

using bankmodel::bank_geometry;

#ifdef BROKEN
static_assert(bank_geometry<31, 4, 4, 4>{}.bank(0) == 0);
static_assert(bank_geometry<512, 4, 4, 4>{}.bank(0) == 0);
static_assert(bank_geometry<32, 8, 4, 3>{}.bank(0) == 0);
static_assert(bank_geometry<32, 4, 8, 4>{}.bank(0) == 0);
static_assert(bank_geometry<32, 4, 4, 8>{}.bank(0) == 0);
#else
static_assert(bank_geometry<32, 4, 4, 4>{}.bank(0) == 0);
static_assert(bank_geometry<256, 4, 4, 4>{}.bank(0) == 0);
static_assert(bank_geometry<32, 8, 4, 2>{}.bank(0) == 0);
static_assert(bank_geometry<32, 8, 4, 4>{}.bank(0) == 0);
static_assert(bank_geometry<32, 8, 4, 8>{}.bank(0) == 0);
#endif
