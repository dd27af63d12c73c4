// SPDX-License-Identifier: MIT
// expect: powers_must_have_a_direction
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

constexpr auto a = bm::shared_array<float>("a", 64);
#ifdef BROKEN
constexpr auto halves = bm::powers(i, 1, 2);
#else
constexpr auto halves = bm::powers_down(i, 1, 2);
#endif
constexpr auto read = bm::for_loop(i, bm::values(8), bm::for_loop(j, halves, a[tx + j]));
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32}, read).requests == 3);
