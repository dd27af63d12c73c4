// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BOTH_MEMORIES_HPP
#define BANKMODEL_EXAMPLES_BOTH_MEMORIES_HPP

#include <bankmodel/global.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/report.hpp>
#include <cstdio>
#include <string>

#include "kernels/in_both_memories.hpp"

// A table of the demo: the kernels whose samples state their launch, with the wavefronts of shared
// memory and the transactions of global memory side by side.
namespace both_memories {

namespace bm = bankmodel;

inline constexpr bm::machine machine[] = {bm::nvidia::sm_13, bm::nvidia::sm_35, bm::nvidia::sm_90};

inline void print_head() {
  std::printf("\n\n%-24s", "");
  for (const bm::machine& m : machine) std::printf(" | %-28s", bm::text(m).c_str());
  std::printf("\n%-24s", "");
  for (int column = 0; column < 3; ++column)
    std::printf(" | %6s %6s %8s %5s", "wave-", "", "trans-", "");
  std::printf("\n%-24s", "kernel");
  for (int column = 0; column < 3; ++column)
    std::printf(" | %6s %6s %8s %5s", "fronts", "ideal", "actions", "ideal");
  std::printf("\n%s\n", std::string(117, '-').c_str());
}

inline void print() {
  print_head();
  kernels::for_each_kernel_in_both_memories(
      [](const char* name, const auto& kernel, const bm::grid_dim& grid) {
        std::printf("%-24s", name);
        for (const bm::machine& m : machine) {
          const bm::cost shared = bm::total(m, kernel);
          // All blocks make the same but for the halo at the edges: the mean of the grid, rounded.
          const bm::memory_traffic traffic = bm::traffic(m, kernel, grid);
          const auto of_block = [&](std::uint64_t count) {
            return bm::grouped((count + grid.blocks() / 2) / grid.blocks());
          };
          std::printf(" | %6s %6s %8s %5s", bm::grouped(shared.wavefronts).c_str(),
                      bm::grouped(shared.ideal).c_str(), of_block(traffic.transactions).c_str(),
                      of_block(traffic.ideal).c_str());
        }
        std::printf("\n");
      });
}

}  // namespace both_memories

#endif
