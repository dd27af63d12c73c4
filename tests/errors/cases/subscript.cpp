// SPDX-License-Identifier: MIT
// expect: subscripts_must_lie_within_their_extent
// expect-g++: array subscript value '31' is outside the bounds of array 'allowed_by_this_rule'
// expect-clang++: subscripts_must_lie_within_their_extent(0, 31, 31)
// expect-nvcc: cannot access position 31 in array
// compilers: g++ clang++ nvcc
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

#ifdef BROKEN
constexpr int rows = 31;
#else
constexpr int rows = 32;
#endif
constexpr auto tile = bm::shared_array<float>("tile", rows, 33);
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32, 8}, tile[tx][ty]).conflicts() == 0);
