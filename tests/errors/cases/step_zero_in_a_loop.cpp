// SPDX-License-Identifier: MIT
// expect: step_must_not_be_zero
// A step that depends on an outer loop is seen when it is zero.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

#ifdef BROKEN
constexpr int from = 0;
#else
constexpr int from = 1;
#endif
constexpr auto a = bm::shared_array<float>("a", 64);
constexpr auto rows =
    bm::for_loop(i, bm::range(from, 3), bm::for_loop(j, bm::range(0, 32, i), a[tx + j]));
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32}, rows).requests > 0);
