// SPDX-License-Identifier: MIT
// expect: strides_and_offsets_must_lie_within_2_to_the_40
#include <bankmodel/model/degree.hpp>

#ifdef BROKEN
constexpr long long stride = (1ll << 40) + 1;
#else
constexpr long long stride = 1ll << 40;
#endif
static_assert(bankmodel::degree(bankmodel::bank_geometry<32, 4, 4, 4>{},
                                bankmodel::access_1d{.stride = stride}) == 32);
