// SPDX-License-Identifier: MIT
// expect: step_must_not_be_zero
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

#ifdef BROKEN
constexpr int step = 0;
#else
constexpr int step = 8;
#endif
constexpr auto a = bm::shared_array<float>("a", 64);
constexpr auto rows = bm::for_loop(j, bm::range(0, 32, step), a[tx + j]);
static_assert(rows.depth == 1);
