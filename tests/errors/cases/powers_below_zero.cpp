// SPDX-License-Identifier: MIT
// expect: powers_must_end
// for (s = 16; s > -1; s /= 2) stays at 0.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

#ifdef BROKEN
constexpr int until = -1;
#else
constexpr int until = 0;
#endif
constexpr auto a = bm::shared_array<float>("a", 64);
constexpr auto read = bm::for_loop(j, bm::powers(16, until, 2), a[tx + j]);
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32}, read).requests == 5);
