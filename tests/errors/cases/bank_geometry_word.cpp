// SPDX-License-Identifier: MIT
// expect: a word of N bytes must not exceed a layer of W bytes
// expect: bank_geometry<32, 4, 8, 4>
#include <bankmodel/model/geometry.hpp>

#ifdef BROKEN
using wrong = bankmodel::bank_geometry<32, 4, 8, 4>;
#else
using wrong = bankmodel::bank_geometry<32, 8, 4, 4>;
#endif
static_assert(wrong{}.bank(0) == 0);
