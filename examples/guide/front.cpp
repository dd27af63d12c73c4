// SPDX-License-Identifier: MIT
// The Pareto front of a kernel: wavefronts, bytes and resident blocks.
#include <bankmodel/analyze.hpp>
#include <bankmodel/host/search/pareto.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <cstdio>

namespace bm = bankmodel;
using namespace bm::index;

int main() {
  const auto machine = bm::nvidia::compute_capability(6, 2);  // from cudaDeviceProp
  const auto tile = bm::shared_array<float>("tile", 32, 32);
  const auto table = bm::shared_array<float>("table", 64, 16);
  const auto kernel = bm::kernel(
      bm::block_dim{32, 4}, bm::load(bm::for_loop(j, bm::range(0, 32, 4), tile[tx][ty + j])),
      bm::load(bm::for_loop(i, bm::range(0, 64, 32),
                            bm::for_loop(j, bm::range(0, 16, 4), table[tx + i][ty + j]))));

  std::printf("bytes  wavefronts  conflicts  resident blocks\n");
  for (const auto& plan : bm::pareto_front(machine, kernel, {.layouts = bm::layouts::padding}))
    std::printf("%5d  %10d  %9d  %15d\n", static_cast<int>(plan.bytes()),
                static_cast<int>(plan.after().wavefronts),
                static_cast<int>(plan.after().conflicts()), plan.resident_blocks());
}
