// SPDX-License-Identifier: MIT
// expect: constants_must_fit_in_63_bits
#include <bankmodel/analyze.hpp>

namespace bm = bankmodel;
using namespace bm::index;

#ifdef BROKEN
constexpr auto offset = ~0ull;
#else
constexpr auto offset = 7ull;
#endif
constexpr auto a = bm::shared_array<float>("a", 64);
static_assert(a[tx + offset].subscripts == 1);
