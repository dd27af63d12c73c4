// SPDX-License-Identifier: MIT
// expect: an element of M bytes must not exceed a layer of W bytes
// expect: bank_geometry<32, 4, 4, 8>
#include <bankmodel/model/geometry.hpp>

#ifdef BROKEN
using wrong = bankmodel::bank_geometry<32, 4, 4, 8>;
#else
using wrong = bankmodel::bank_geometry<32, 8, 4, 8>;
#endif
static_assert(wrong{}.bank(0) == 0);
