// SPDX-License-Identifier: MIT
// expect: for_loop_must_be_given_a_loop_variable
#include <bankmodel/analyze.hpp>

namespace bm = bankmodel;
using namespace bm::index;

constexpr auto a = bm::shared_array<float>("a", 64);
#ifdef BROKEN
constexpr auto read = bm::for_loop(tx, bm::range(0, 8), a[tx]);
#else
constexpr auto read = bm::for_loop(i, bm::range(0, 8), a[tx]);
#endif
static_assert(read.depth == 1);
