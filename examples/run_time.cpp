// SPDX-License-Identifier: MIT
// As in an autotuner: finds the block and the tile that transpose with the fewest passes. All
// values are known at run time only.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/report.hpp>
#include <cstdio>

namespace bm = bankmodel;
using namespace bm::index;

int main() {
  const auto machine = bm::nvidia::compute_capability(9, 0);  // from cudaDeviceProp
  std::printf("A 64 x 64 tile of floats on %s, written by rows and read by columns\n\n",
              bm::text(machine).c_str());
  std::printf("block    columns  wavefronts  conflicts  worst\n");

  std::uint64_t fewest = ~std::uint64_t{0};
  int best_x = 0, best_y = 0, best_columns = 0;
  for (const int x : {8, 16, 32, 64})
    for (const int columns : {64, 65, 66, 68}) {
      const int y = 256 / x;
      const auto tile = bm::shared_array<float>("tile", 64, columns);
      const auto everywhere = [&](const auto& access) {
        return bm::for_loop(i, bm::range(0, 64, y), bm::for_loop(j, bm::range(0, 64, x), access));
      };
      const auto kernel =
          bm::kernel(bm::block_dim{x, y}, bm::store(everywhere(tile[ty + i][tx + j])),
                     bm::load(everywhere(tile[tx + j][ty + i])));
      const bm::cost cost = bm::total(machine, kernel);
      std::printf("%2d x %2d  %7d  %10s  %9s  %2d-way\n", x, y, columns,
                  bm::grouped(cost.wavefronts).c_str(), bm::grouped(cost.conflicts()).c_str(),
                  cost.degree);
      if (cost.wavefronts < fewest)
        fewest = cost.wavefronts, best_x = x, best_y = y, best_columns = columns;
    }
  std::printf("\nfewest: %d x %d threads, float tile[64][%d]\n", best_x, best_y, best_columns);

  // Bad input is an error whose text gives the reason.
  try {
    (void)bm::total(machine, bm::block_dim{64, 32},
                    bm::shared_array<float>("tile", 64, 64)[tx][ty]);
  } catch (const bm::error& refused) {
    std::printf("64 x 32: %s\n", refused.what());
  }
}
