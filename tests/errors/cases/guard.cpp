// SPDX-License-Identifier: MIT
// expect: expect_conflicts<
// expect: bankmodel: more bank conflicts than allowed
// expect-g++: expect_conflicts<992, 0>
// expect-clang++: expect_conflicts<992, 0>
// expect-nvcc: Actual=992
// expect-nvcc: Allowed=0
// expect-g++: expect_conflicts<992, 991>
// expect-clang++: expect_conflicts<992, 991>
// expect-nvcc: Allowed=991
// compilers: g++ clang++ nvcc
// The guard of the README, and one that allows some conflicts and fails at one more: both numbers
// are in each message.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

#ifdef BROKEN
constexpr int row = 32, allowed = 991;
#else
constexpr int row = 33, allowed = 992;
#endif
constexpr auto tile = bm::shared_array<float>("tile", 32, row);
constexpr auto column = bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j]));
constexpr auto conflicts = bm::total(bm::nvidia::sm_90, bm::block_dim{32, 8}, column).conflicts();
static_assert(bm::expect_conflicts<conflicts, 0>::value);

constexpr auto square = bm::shared_array<float>("square", 32, 32);
constexpr auto of_square = bm::load(bm::for_loop(j, bm::range(0, 32, 8), square[tx][ty + j]));
using guarded =
    bm::expect_conflicts<bm::total(bm::nvidia::sm_90, bm::block_dim{32, 8}, of_square).conflicts(),
                         allowed>;
static_assert(guarded::value);
