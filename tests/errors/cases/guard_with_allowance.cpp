// SPDX-License-Identifier: MIT
// expect-g++: expect_conflicts<992, 991>
// expect-clang++: expect_conflicts<992, 991>
// A guard that allows some conflicts fails at one more.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

#ifdef BROKEN
constexpr int allowed = 991;
#else
constexpr int allowed = 992;
#endif
constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
constexpr auto column = bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j]));
using guarded =
    bm::expect_conflicts<bm::total(bm::nvidia::sm_90, bm::block_dim{32, 8}, column).conflicts(),
                         allowed>;
static_assert(guarded::value);
