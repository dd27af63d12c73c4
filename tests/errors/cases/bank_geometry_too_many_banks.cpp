// SPDX-License-Identifier: MIT
// expect: bankmodel: bank_num must be a power of two up to 256
// expect: bank_geometry<512, 4, 4, 4>
#include <bankmodel/model/geometry.hpp>

#ifdef BROKEN
using wrong = bankmodel::bank_geometry<512, 4, 4, 4>;
#else
using wrong = bankmodel::bank_geometry<256, 4, 4, 4>;
#endif
static_assert(wrong{}.bank(0) == 0);
