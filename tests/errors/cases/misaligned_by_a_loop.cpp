// SPDX-License-Identifier: MIT
// expect: accesses_must_be_aligned_to_their_width
// Aligned in the first iteration, not in the second.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

#ifdef BROKEN
constexpr int row = 33;
#else
constexpr int row = 34;
#endif
constexpr auto a = bm::shared_array<float>("a", 8, row);
constexpr auto pairs = bm::for_loop(j, bm::range(0, 8), bm::vectorized<2>(a[j][2 * tx]));
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{16}, pairs).requests == 8);
