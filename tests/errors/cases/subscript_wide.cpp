// SPDX-License-Identifier: MIT
// expect: subscripts_must_lie_within_their_extent
// The last float of the last float4 lies behind the array.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

#ifdef BROKEN
constexpr int extent = 127;
#else
constexpr int extent = 128;
#endif
constexpr auto a = bm::shared_array<float>("a", extent);
static_assert(
    bm::total(bm::nvidia::sm_90, bm::block_dim{32}, bm::vectorized<4>(a[4 * tx])).conflicts() == 0);
