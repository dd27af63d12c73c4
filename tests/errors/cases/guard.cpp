// SPDX-License-Identifier: MIT
// expect: expect_conflicts<
// expect: 992
// expect: bankmodel: more bank conflicts than allowed
// expect-g++: expect_conflicts<992, 0>
// expect-clang++: expect_conflicts<992, 0>
// expect-nvcc: Actual=992
// expect-nvcc: Allowed=0
// compilers: g++ clang++ nvcc
// The guard of the README: both numbers stand in the message of each compiler.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

#ifdef BROKEN
constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
#else
constexpr auto tile = bm::shared_array<float>("tile", 32, 33);
#endif
constexpr auto column = bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j]));
static_assert(bm::expect_conflicts<
              bm::total(bm::nvidia::sm_90, bm::block_dim{32, 8}, column).conflicts(), 0>::value);
