// SPDX-License-Identifier: MIT
// Small kernels, for plans that must be the same as constants and at run time.
#ifndef BANKMODEL_TESTS_SMALL_KERNELS_HPP
#define BANKMODEL_TESTS_SMALL_KERNELS_HPP

#include <bankmodel/optimize.hpp>

namespace small_kernels {

using namespace bankmodel::index;
using bankmodel::atomic;
using bankmodel::block_dim;
using bankmodel::for_loop;
using bankmodel::if_threads;
using bankmodel::kernel;
using bankmodel::load;
using bankmodel::powers;
using bankmodel::range;
using bankmodel::shared_array;
using bankmodel::store;
using bankmodel::vectorized;

constexpr auto kernel_1 = [] {
  const auto a = shared_array<float>("a", 256, 3);
  return kernel(block_dim{256}, store(a[tid][0]), store(a[tid][1]), store(a[tid][2]),
                load(a[tid][0]));
}();
constexpr auto kernel_2 = [] {
  const auto a = shared_array<float>("a", 64, 8);
  return kernel(block_dim{64}, for_loop(i, range(0, 8), load(a[tid][i])),
                store(a[tid / 8 * 8 + tid % 8][0]));
}();
constexpr auto kernel_3 = [] {
  const auto a = shared_array<float>("a", 18, 34);
  return kernel(block_dim{32, 16}, store(a[ty + 1][tx + 1]), load(a[ty][tx + 1]),
                load(a[ty + 2][tx + 1]), load(a[ty + 1][tx]), load(a[ty + 1][tx + 2]));
}();
constexpr auto kernel_4 = [] {
  const auto a = shared_array<float>("a", 34, 18);
  const auto b = shared_array<float>("b", 18, 34);
  return kernel(block_dim{16, 32}, store(a[ty + 1][tx + 1]), load(b[tx + 1][ty + 1]));
}();
constexpr auto kernel_5 = [] {
  const auto a = shared_array<int>("a", 8, 64);
  return kernel(block_dim{256}, atomic(a[tid / 32][tid % 32]),
                for_loop(i, range(0, 8), if_threads(tid < 64, load(a[i][tid]))));
}();
constexpr auto kernel_6 = [] {
  const auto a = shared_array<float>("a", 4, 8, 33);
  return kernel(block_dim{32, 8}, for_loop(i, range(0, 4), store(a[i][ty][tx])),
                for_loop(i, range(0, 4), if_threads(tx < 8, load(a[i][tx][ty]))));
}();
constexpr auto kernel_7 = [] {
  const auto a = shared_array<float>("a", 128, 32);
  const auto b = shared_array<float>("b", 32, 128);
  return kernel(block_dim{32, 4}, load(vectorized<4>(a[tx][4 * ty])),
                store(vectorized<4>(b[ty][4 * tx])));
}();
constexpr auto kernel_8 = [] {
  const auto a = shared_array<float>("a", 128, 8);
  const auto b = shared_array<float>("b", 128, 8);
  return kernel(block_dim{128}, store(vectorized<4>(a[tid][0])),
                for_loop(k, range(0, 8), load(b[tid][k])));
}();
constexpr auto kernel_9 = [] {
  const auto a = shared_array<float>("a", 8, 128);
  return kernel(block_dim{256}, store(a[tid % 2 * 4][tid / 2]), store(a[tid % 2 * 4 + 1][tid / 2]));
}();
constexpr auto kernel_10 = [] {
  const auto a = shared_array<float>("a", 64, 64);
  return kernel(block_dim{64}, for_loop(i, range(0, 64), load(a[i][tid]), load(a[tid][i])));
}();
constexpr auto kernel_11 = [] {
  const auto a = shared_array<float>("a", 32, 32);
  return kernel(block_dim{32},
                for_loop(i, range(0, 32), if_threads(tx > i, load(a[tx][i])), store(a[i][tx])));
}();
constexpr auto kernel_12 = [] {
  const auto a = shared_array<float>("a", 256);
  return kernel(block_dim{128},
                for_loop(i, powers(1, 128, 2),
                         if_threads(tid % (2 * i) == 0, load(a[tid + i]), store(a[tid]))));
}();
constexpr auto kernel_13 = [] {
  const auto a = shared_array<float>("a", 256);
  return kernel(block_dim{64}, for_loop(i, range(0, 6), load(a[4 * tid + i % 4])), store(a[tid]));
}();
constexpr auto kernel_14 = [] {
  const auto a = shared_array<unsigned char>("a", 8, 128);
  return kernel(block_dim{32, 8}, load(a[ty][4 * tx]), load(a[ty][tx]));
}();
constexpr auto kernel_15 = [] {
  const auto a = shared_array<short>("a", 16, 17);
  return kernel(block_dim{16, 16}, store(a[ty][tx]), load(a[tx][ty]));
}();
constexpr auto kernel_16 = [] {
  const auto a = shared_array<double>("a", 32, 16);
  return kernel(block_dim{32}, for_loop(i, range(0, 16), load(a[tx][i])), store(a[tx][0]));
}();
constexpr auto kernel_17 = [] {
  const auto a = shared_array<float>("a", 4, 64);
  return kernel(block_dim{64}, for_loop(i, range(0, 4), store(a[i][tid])),
                for_loop(i, range(0, 4), load(a[tid % 4][tid / 4 * 4 + i])));
}();
constexpr auto kernel_18 = [] {
  const auto a = shared_array<float>("a", 32, 36);
  return kernel(block_dim{32, 4}, for_loop(i, range(0, 8), load(a[tx][ty * 8 + i])));
}();
constexpr auto kernel_19 = [] {
  const auto a = shared_array<float>("a", 33, 33);
  return kernel(block_dim{33, 7}, store(a[ty][tx]), load(a[tx][ty]));
}();
constexpr auto kernel_20 = [] {
  const auto a = shared_array<float>("a", 32, 32);
  return kernel(block_dim{32}, load(a[tx][bankmodel::min(tx, 31 - tx)]), store(a[tx][tx]));
}();
constexpr auto kernel_21 = [] {
  const auto a = shared_array<float>("a", 32, 16);
  return kernel(block_dim{32},
                for_loop(i, range(0, 4), for_loop(j, range(0, 4), load(a[tx][4 * i + j]))));
}();
constexpr auto kernel_22 = [] {
  const auto a = shared_array<float>("a", 16, 8);
  const auto b = shared_array<float>("b", 8, 16);
  const auto c = shared_array<float>("c", 16, 16);
  const auto d = shared_array<float>("d", 8, 64);
  return kernel(block_dim{16, 8}, store(a[tx][ty]), store(b[ty][tx]), load(c[tx][tx]),
                load(d[ty][4 * tx]));
}();
constexpr auto kernel_23 = [] {
  const auto a = shared_array<float>("a", 32, 32);
  return kernel(block_dim{32, 2}, if_threads(tx < 16, load(a[tx * 2][ty])),
                if_threads(tx >= 16, load(a[tx][ty + 1])));
}();
constexpr auto kernel_24 = [] {
  const auto a = shared_array<double>("a", 8, 8);
  return kernel(block_dim{8, 8}, store(a[ty][tx]), load(a[tx][ty]));
}();
constexpr auto kernel_25 = [] {
  const auto a = shared_array<float>("a", 64, 65);
  return kernel(block_dim{64}, for_loop(i, range(0, 64), if_threads(tid < i, load(a[tid][i]))));
}();
constexpr auto kernel_26 = [] {
  const auto a = shared_array<int>("a", 4, 32);
  return kernel(block_dim{32, 4}, atomic(a[ty][tx]), load(a[tx % 4][ty * 8]));
}();
constexpr auto kernel_27 = [] {
  const auto a = shared_array<float>("a", 128);
  return kernel(block_dim{128}, store(a[tid]), load(a[127 - tid]));
}();
constexpr auto kernel_28 = [] {
  const auto a = shared_array<float>("a", 40, 40);
  return kernel(block_dim{32, 8}, load(a[ty + 4][tx + 4]), load(a[tx + 4][ty + 4]));
}();
constexpr auto kernel_29 = [] {
  const auto a = shared_array<float>("a", 32, 32);
  return kernel(block_dim{32}, for_loop(i, range(0, 32, 4), load(vectorized<4>(a[tx][i]))));
}();
constexpr auto kernel_30 = [] {
  const auto a = shared_array<float>("a", 3, 96);
  return kernel(block_dim{96}, store(a[tid % 3][tid / 3]), load(a[0][tid]));
}();

}  // namespace small_kernels

#endif
