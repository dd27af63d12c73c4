// SPDX-License-Identifier: MIT
// expect: bankmodel: bank_num must be a power of two up to 256
// expect-g++: bank_geometry<31, 4, 4, 4>
// expect-clang++: bank_geometry<31, 4, 4, 4>
#include <bankmodel/model/geometry.hpp>

#ifdef BROKEN
using wrong = bankmodel::bank_geometry<31, 4, 4, 4>;
#else
using wrong = bankmodel::bank_geometry<32, 4, 4, 4>;
#endif
static_assert(wrong{}.bank(0) == 0);
