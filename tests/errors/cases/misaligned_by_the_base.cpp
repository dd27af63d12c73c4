// SPDX-License-Identifier: MIT
// expect: accesses_must_be_aligned_to_their_width
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

#ifdef BROKEN
constexpr int base = 4;
#else
constexpr int base = 16;
#endif
constexpr auto quads = bm::vectorized<4>(bm::shared_array<float>("a", 512).at(base)[4 * tx]);
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32}, quads).conflicts() == 0);
