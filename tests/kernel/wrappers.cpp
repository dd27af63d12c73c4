// SPDX-License-Identifier: MIT
// Nests with known numbers, as constants and at run time: those that users are shown, and the
// "for-if" example of the dissertation (figure 5.8).
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include "catch.hpp"

namespace bm = bankmodel;
using namespace bm::index;
using bm::nvidia::sm_90;

namespace {

// A constant, and the same call with values that the optimizer cannot fold.
#define BANKMODEL_COSTS(block, access, what, expected)                 \
  do {                                                                 \
    static_assert(bm::total(sm_90, block, access).what == (expected)); \
    auto at_run_time = access;                                         \
    auto* volatile hidden = &at_run_time;                              \
    CHECK(bm::total(sm_90, block, *hidden).what == (expected));        \
  } while (false)

constexpr auto a = bm::shared_array<float>("a", 4096);
constexpr auto t = bm::shared_array<float>("t", 32, 32);
constexpr bm::block_dim warp_of_threads{32}, block{256};

constexpr auto growing = bm::for_loop(i, bm::range(1, 257), bm::if_threads(tx < i, a[2 * tx]));
constexpr auto repeated = bm::for_loop(j, bm::range(0, 1'000'000'000), growing);
constexpr auto reduction =
    bm::for_loop(k, bm::powers(1, 256, 2), bm::if_threads(2 * k * tx < 256, a[2 * k * tx]));
constexpr auto ragged = bm::for_loop(i, bm::range(tx, 1024), a[2 * tx]);
constexpr auto swizzled = bm::for_loop(j, bm::range(0, 32, 8), t[tx][(ty + j) ^ tx]);
constexpr auto by_lane = bm::for_loop(i, bm::range(0, 8), t[lane][(warp + i) % 32]);
constexpr auto quads = bm::vectorized<4>(a[4 * tx]);
constexpr auto doubles = bm::shared_array<double>("d", 4096)[tx];

}  // namespace

TEST_CASE("a filter that grows with its loop", "[wrappers]") {
  BANKMODEL_COSTS(block, growing, requests, 1152);
  BANKMODEL_COSTS(block, growing, wavefronts, 2176);
  BANKMODEL_COSTS(block, growing, conflicts(), 1024);
  BANKMODEL_COSTS(block, repeated, wavefronts, 2'176'000'000'000);
  BANKMODEL_COSTS(block, repeated, requests, 1'152'000'000'000);
  static_assert(bm::detail::counted(sm_90, block, growing).evaluated ==
                bm::detail::counted(sm_90, block, repeated).evaluated);
}

TEST_CASE("a reduction in a tree", "[wrappers]") {
  BANKMODEL_COSTS(block, reduction, conflicts(), 35);
}

TEST_CASE("bounds that depend on the thread", "[wrappers]") {
  BANKMODEL_COSTS(warp_of_threads, ragged, requests, 1024);
  BANKMODEL_COSTS(warp_of_threads, ragged, conflicts(), 1008);
}

TEST_CASE("swizzles, lanes and warps", "[wrappers]") {
  BANKMODEL_COSTS((bm::block_dim{32, 8}), swizzled, conflicts(), 0);
  BANKMODEL_COSTS(block, by_lane, degree, 32);
}

TEST_CASE("wide accesses", "[wrappers]") {
  BANKMODEL_COSTS(bm::block_dim{128}, quads, wavefronts, 16);
  BANKMODEL_COSTS(bm::block_dim{128}, quads, conflicts(), 0);
  BANKMODEL_COSTS(bm::block_dim{128}, doubles, wavefronts, 8);
}

TEST_CASE("a kernel is the sum of its accesses", "[wrappers]") {
  constexpr auto kernel = bm::kernel(block, growing, reduction);
  static_assert(bm::total(sm_90, kernel).conflicts() == 1024 + 35);
  CHECK(bm::total(sm_90, kernel).conflicts() == 1024 + 35);
}

TEST_CASE("figure 5.8: 16 iterations with one thread more each, warps of four", "[wrappers]") {
  // 28 whole warps, and 4 each of one, two and three lanes: that is i = 1 .. 16 with i lanes,
  // less the last figure's own count of whole ones, since the last iteration has four of them.
  constexpr auto four_lanes = [] {
    bm::machine small;
    small.lanes = 4;
    small.loads.up_to_4 = {.bank_num = 4, .W = 4, .N = 4};
    return small;
  }();
  constexpr auto access = [](long long stride) {
    return bm::for_loop(i, bm::range(0, 16), bm::if_threads(tx <= i, a[stride * tx]));
  };
  constexpr bm::block_dim sixteen{16};
  // Conflict-free: a request is one pass. 16 iterations of 4, 8, 12 and 16 threads' worth of
  // warps.
  static_assert(bm::total(four_lanes, sixteen, access(1)).wavefronts == 4 * (1 + 2 + 3 + 4));
  // All in one bank: as many passes as lanes, 1 + 2 + .. + 16 of them.
  static_assert(bm::total(four_lanes, sixteen, access(4)).wavefronts == 16 * 17 / 2);
  // Two banks: whole warps 2, pairs 1, triples 2, singles 1: 28 * 2 + 4 * 1 + 4 * 2 + 4 * 1.
  static_assert(bm::total(four_lanes, sixteen, access(2)).wavefronts == 28 * 2 + 4 * (1 + 1 + 2));
  CHECK(bm::total(four_lanes, sixteen, access(2)).wavefronts == 72);
}
