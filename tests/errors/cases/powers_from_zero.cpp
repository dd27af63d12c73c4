// SPDX-License-Identifier: MIT
// expect: powers_must_end
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
constexpr auto read = bm::for_loop(j, bm::powers(from, 16, 2), a[tx + j]);
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32}, read).requests == 4);
