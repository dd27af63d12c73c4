// SPDX-License-Identifier: MIT
// expect: too_many_subscripts
#include <bankmodel/analyze.hpp>

namespace bm = bankmodel;
using namespace bm::index;

constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
#ifdef BROKEN
constexpr auto read = tile[tz][ty][tx];
#else
constexpr auto read = tile[ty][tx];
#endif
static_assert(read.subscripts == 2);
