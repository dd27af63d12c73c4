// SPDX-License-Identifier: MIT
// expect: accesses_must_be_aligned_to_their_width
// compilers: g++ clang++ nvcc
// A float4 at every third float.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

constexpr auto a = bm::shared_array<float>("a", 512);
#ifdef BROKEN
constexpr auto quads = bm::vectorized<4>(a[3 * tx]);
#else
constexpr auto quads = bm::vectorized<4>(a[4 * tx]);
#endif
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32}, quads).conflicts() == 0);
