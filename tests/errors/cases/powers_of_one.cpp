// SPDX-License-Identifier: MIT
// expect: factor_must_be_two_or_more
#include <bankmodel/analyze.hpp>

namespace bm = bankmodel;
using namespace bm::index;

#ifdef BROKEN
constexpr int factor = 1;
#else
constexpr int factor = 2;
#endif
constexpr auto a = bm::shared_array<float>("a", 64);
static_assert(bm::for_loop(j, bm::powers(1, 16, factor), a[tx + j]).depth == 1);
