// SPDX-License-Identifier: MIT
// An autotuner that uses the model first. A transpose may use many block shapes and tile sizes,
// and each tile may be padded; measuring each on a GPU takes a compilation and a run. The model
// finds the best layout for each shape. Only those shapes remain to be measured that no other
// shape beats in both passes per element and resident warps.
#include <bankmodel/analyze.hpp>
#include <bankmodel/host/search/pareto.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/report.hpp>
#include <cstdio>
#include <vector>

namespace bm = bankmodel;
using namespace bm::index;

namespace {

struct candidate {
  int x, y, tile;
  long long padding, bytes;
  double passes;      // through shared memory, per element moved
  int blocks, warps;  // resident on one multiprocessor
};

// Fewer passes and as many warps, or as few passes and more warps.
bool beats(const candidate& a, const candidate& b) {
  return a.passes <= b.passes && a.warps >= b.warps && (a.passes < b.passes || a.warps > b.warps);
}

}  // namespace

int main() {
  const auto machine = bm::nvidia::compute_capability(8, 6);  // from cudaDeviceProp
  constexpr int most_padding = 32;
  std::vector<candidate> candidates;
  int without_a_model = 0;
  for (const int tile : {16, 32, 64, 96})
    for (const int x : {8, 16, 32, 64})
      for (const int y : {1, 2, 4, 8, 16, 32}) {
        if (x * y < 64 || x * y > 1024 || tile % x != 0 || tile % y != 0) continue;
        without_a_model += most_padding;
        const auto a = bm::shared_array<float>("tile", tile, tile);
        const auto everywhere = [&](const auto& access) {
          return bm::for_loop(i, bm::range(0, tile, y),
                              bm::for_loop(j, bm::range(0, tile, x), access));
        };
        const auto kernel =
            bm::kernel(bm::block_dim{x, y}, bm::store(everywhere(a[ty + i][tx + j])),
                       bm::load(everywhere(a[tx + j][ty + i])));
        for (const auto& plan :
             bm::pareto_front(machine, kernel, {.layouts = bm::layouts::padding})) {
          const int blocks = plan.resident_blocks();
          candidates.push_back({x, y, tile, plan.layout(a).padding(), plan.bytes(),
                                static_cast<double>(plan.after().wavefronts) / (tile * tile),
                                blocks, blocks * ((x * y + 31) / 32)});
        }
      }

  std::printf("A transpose on %s through a tile of floats\n\n", bm::text(machine).c_str());
  std::printf("tile     block    padding   bytes   passes/element   blocks  warps\n");
  int left = 0;
  for (const candidate& entry : candidates) {
    bool beaten = false;
    for (const candidate& other : candidates) beaten = beaten || beats(other, entry);
    if (beaten) continue;
    ++left;
    std::printf("%2d x %2d  %2d x %2d  %7lld  %6lld  %15.4f  %7d  %5d\n", entry.tile, entry.tile,
                entry.x, entry.y, entry.padding, entry.bytes, entry.passes, entry.blocks,
                entry.warps);
  }
  std::printf(
      "\nLeft to be measured: %d of %d (every shape with every padding up to %d). The model spared "
      "%d.\n",
      left, without_a_model, most_padding - 1, without_a_model - left);
  return left == 0;
}
