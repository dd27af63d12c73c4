// SPDX-License-Identifier: MIT
// The index language: each form once, and the report's text for it.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/report.hpp>
#include <cstdio>

namespace bm = bankmodel;
using namespace bm::index;

constexpr auto a = bm::shared_array<float>("a", 1024);
constexpr auto b = bm::shared_array<float>("b", 8, 64);

constexpr auto kernel = bm::kernel(
    bm::block_dim{32, 8},
    // for (i = 0; i < 64; i += 8); bounds may depend on the thread
    bm::for_loop(i, bm::range(0, 64, 8), a[tid + i], b[ty][i]),
    bm::for_loop(k, bm::powers(1, 256, 2), a[tid + k]),  // for (k = 1; k < 256; k *= 2)
    bm::for_loop(k, bm::values(1, 3, 9), a[k * tx]), bm::if_threads(tx < 16 && ty != 0, a[tx]),
    // a float4; accesses are loads by default
    bm::load(bm::vectorized<4>(a[4 * tx])), bm::store(a[bm::min(tx, 30) ^ (ty << 2)]));

int main() {
  bm::for_each_access(kernel,
                      [](const auto& access) { std::printf("%s\n", bm::text(access).c_str()); });
  return bm::total(bm::nvidia::sm_90, kernel).requests == 0;
}
