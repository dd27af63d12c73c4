// SPDX-License-Identifier: MIT
// expect: too_few_subscripts
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
#ifdef BROKEN
constexpr auto read = bm::load(tile[tx]);
#else
constexpr auto read = bm::load(tile[ty][tx]);
#endif
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32}, read).requests == 1);
