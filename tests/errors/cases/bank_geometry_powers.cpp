// SPDX-License-Identifier: MIT
// expect: bankmodel: W, N and M of bank_geometry<bank_num, W, N, M> must be powers of two up to
// 1024 expect: bank_geometry<32, 8, 4, 3>
#include <bankmodel/model/geometry.hpp>

#ifdef BROKEN
using wrong = bankmodel::bank_geometry<32, 8, 4, 3>;
#else
using wrong = bankmodel::bank_geometry<32, 8, 4, 2>;
#endif
static_assert(wrong{}.bank(0) == 0);
