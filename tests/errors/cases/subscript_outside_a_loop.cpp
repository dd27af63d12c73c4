// SPDX-License-Identifier: MIT
// expect: subscripts_must_stand_inside_loops_and_filters
#include <bankmodel/analyze.hpp>

namespace bm = bankmodel;
using namespace bm::index;

constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
#ifdef BROKEN
constexpr auto read = bm::for_loop(j, bm::range(0, 32), tile[j])[tx];
#else
constexpr auto read = bm::for_loop(j, bm::range(0, 32), tile[j][tx]);
#endif
static_assert(read.subscripts == 2);
