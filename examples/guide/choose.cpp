// SPDX-License-Identifier: MIT
// A layout for two arrays of a kernel, under several limits, and storage that follows the plan.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>
#include <bankmodel/report.hpp>
#include <bankmodel/search/buffer.hpp>
#include <bankmodel/tile.hpp>
#include <cstdio>

namespace bm = bankmodel;

namespace description {
using namespace bm::index;

constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
constexpr auto line = bm::shared_array<float>("line", 512);
constexpr auto kernel = bm::kernel(
    bm::block_dim{32, 8}, bm::store(bm::for_loop(j, bm::range(0, 32, 8), tile[ty + j][tx])),
    bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j])), bm::load(line[2 * tid]));

constexpr auto plan = bm::optimize(bm::nvidia::sm_90, kernel);
static_assert(plan.is_optimal());
}  // namespace description

namespace {

using description::kernel;
using description::line;
using description::plan;
using description::tile;

template <class Plan>
void print(const char* label, const Plan& chosen) {
  std::printf("%s\n%s\n", label, bm::text(chosen).c_str());
}

}  // namespace

int main() {
  const auto& machine = bm::nvidia::sm_90;
  using bm::index::tx, bm::index::ty;
  for (const int columns : {0, 1, 2, 4}) {
    const auto padded = tile.with(tile.layout.padded(columns));
    const bm::cost cost = bm::total(machine, kernel.block, bm::load(padded[tx][ty]));
    std::printf("padded by %d: %2d-way, %3d conflicts\n", columns, cost.degree,
                static_cast<int>(cost.conflicts()));
  }
  std::printf("\n");

  print("no limit but the machine's", plan);
  print("6,272 bytes", bm::optimize(machine, kernel, bm::search{.shared_bytes = 6272}));
  print("6,272 bytes, by padding",
        bm::optimize(machine, kernel,
                     bm::search{.layouts = bm::layouts::padding, .shared_bytes = 6272}));
  print("the tile as declared",
        bm::optimize(machine, kernel, bm::search{.keep = bm::arrays(tile)}));

  // Storage with the plan's size and index function: on the host here, `__shared__` in a
  // kernel.
  bm::tile<float, plan.layout(tile)> t;
  for (int row = 0; row < 32; ++row)
    for (int column = 0; column < 32; ++column)
      t(row, column) = static_cast<float>(100 * row + column);
  std::printf("tile: %d bytes, t(1, 0) is element %d with value %.0f\n", t.size_bytes,
              static_cast<int>(&t(1, 0) - t.data()), static_cast<double>(t.data()[33]));

  bm::plan_buffer<plan> memory;  // both arrays, each at its offset
  const auto in_memory = memory.view<float, line>();
  std::printf("line: element 32 is stored %d elements after element 0\n",
              static_cast<int>(&in_memory(32) - &in_memory(0)));
}
