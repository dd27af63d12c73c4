// SPDX-License-Identifier: MIT
// expect: subscripts_must_lie_within_their_extent
// One iteration too many: `ty + j` reaches 32.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

#ifdef BROKEN
constexpr int last = 33;
#else
constexpr int last = 32;
#endif
constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
constexpr auto column = bm::for_loop(j, bm::range(0, last, 8), tile[ty + j][tx]);
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32, 8}, column).conflicts() == 0);
