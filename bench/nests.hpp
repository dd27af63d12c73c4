// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_BENCH_NESTS_HPP
#define BANKMODEL_BENCH_NESTS_HPP

#include <bankmodel/analyze.hpp>

// The nests whose static_asserts are timed: each way of loops and filters that users write, once.
namespace nests {

namespace bm = bankmodel;
using namespace bm::index;

inline constexpr auto a = bm::shared_array<float>("a", 4096);
inline constexpr auto tile = bm::shared_array<float>("tile", 32, 32);

// A column of a tile: the guard of the README. Affine, and no filter.
inline constexpr auto column = bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j]);

// All threads walk one array together.
inline constexpr auto grid_stride = bm::for_loop(i, bm::range(tx, 1024, 256), a[i]);

// Lanes join as the loop goes on; the same again with a loop around it that touches nothing.
inline constexpr auto growing =
    bm::for_loop(i, bm::range(1, 257), bm::if_threads(tx < i, a[2 * tx]));
inline constexpr auto repeated = bm::for_loop(j, bm::range(0, 1'000'000'000), growing);

// A tree: strides double, and half of the lanes leave each time.
inline constexpr auto reduction =
    bm::for_loop(k, bm::powers(1, 256, 2), bm::if_threads(2 * k * tx < 256, a[2 * k * tx]));

// Lanes in lockstep that end one after the other.
inline constexpr auto ragged = bm::for_loop(i, bm::range(tx, 1024), a[2 * tx]);

// Not affine: an XOR swizzle, and a remainder over lane and warp.
inline constexpr auto swizzled = bm::for_loop(j, bm::range(0, 32, 8), tile[tx][(ty + j) ^ tx]);
inline constexpr auto by_lane = bm::for_loop(i, bm::range(0, 8), tile[lane][(warp + i) % 32]);

// 16 and 8 bytes a lane.
inline constexpr auto d = bm::shared_array<double>("d", 4096);
inline constexpr auto quads = bm::vectorized<4>(a[4 * tx]);
inline constexpr auto doubles = d[tx];

inline constexpr auto both = bm::kernel(bm::block_dim{256}, growing, reduction);

}  // namespace nests

#endif
