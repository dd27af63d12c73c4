// SPDX-License-Identifier: MIT
// expect: subscripts_must_lie_within_their_extent
// A halo without its guard; a lane that an if_threads turns off is not refused.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

constexpr auto a = bm::shared_array<float>("a", 32);
#ifdef BROKEN
constexpr auto left = a[tx - 1];
#else
constexpr auto left = bm::if_threads(tx > 0, a[tx - 1]);
#endif
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32}, left).conflicts() == 0);
