// SPDX-License-Identifier: MIT
// Seven ways to copy or transpose a matrix, from a lecture and from CUDA's samples: the sectors of
// global memory and the passes through shared memory of each, and which of the two takes longer.
#include <bankmodel/count/totals.hpp>
#include <bankmodel/global.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/report.hpp>

#include <algorithm>
#include <cstdio>
#include <string>

namespace bm = bankmodel;
using namespace bm::index;

namespace {

// 8192 x 8192 floats in tiles of 32 x 32, one for each block of 1024 threads: the lecture's launch.
constexpr int tiles = 256, side = 32 * tiles;
constexpr bm::block_dim block{32, 32};
constexpr bm::grid_dim grid{tiles, tiles};
constexpr auto in = bm::global_array<float>("in", side, side);
constexpr auto out = bm::global_array<float>("out", side, side);
constexpr auto square = bm::shared_array<float>("tile", 32, 32);
constexpr auto padded = bm::shared_array<float>("tile", 32, 33);

// Element [ty][tx] of the tile in row `row` and column `column` of tiles.
constexpr auto element(const bm::array_description& matrix, const auto& row, const auto& column) {
  return matrix[32 * row + ty][32 * column + tx];
}

constexpr auto copy = bm::kernel(block, bm::load(element(in, by, bx)), bm::store(square[ty][tx]),
                                 bm::load(square[ty][tx]), bm::store(element(out, by, bx)));
constexpr auto naive =
    bm::kernel(block, bm::load(element(in, by, bx)), bm::store(out[32 * bx + tx][32 * by + ty]));
constexpr auto tiled = bm::kernel(block, bm::load(element(in, by, bx)), bm::store(square[ty][tx]),
                                  bm::load(square[tx][ty]), bm::store(element(out, bx, by)));
constexpr auto without_conflicts =
    bm::kernel(block, bm::load(element(in, by, bx)), bm::store(padded[ty][tx]),
               bm::load(padded[tx][ty]), bm::store(element(out, bx, by)));
// Only the elements of each tile are transposed, and only the tiles.
constexpr auto fine_grained =
    bm::kernel(block, bm::load(element(in, by, bx)), bm::store(padded[ty][tx]),
               bm::load(padded[tx][ty]), bm::store(element(out, by, bx)));
constexpr auto coarse_grained =
    bm::kernel(block, bm::load(element(in, by, bx)), bm::store(padded[ty][tx]),
               bm::load(padded[ty][tx]), bm::store(element(out, bx, by)));
// Blocks in the order of diagonals, so that those that run together use all partitions of the
// memory of compute capability 1.x.
constexpr auto diagonal =
    bm::kernel(block, bm::load(element(in, bx, (bx + by) % tiles)), bm::store(padded[ty][tx]),
               bm::load(padded[tx][ty]), bm::store(element(out, (bx + by) % tiles, bx)));

// The reason why a memory takes longer: its most expensive access, per request.
template <class Kernel>
std::string reason(const bm::machine& m, const Kernel& kernel, bm::limiting_memory limit) {
  std::string text;
  std::uint64_t most = 0;
  bm::for_each_access(kernel, [&](const auto& access) {
    const bool is_global = access.array.memory == bm::memory_space::global;
    if (is_global != (limit == bm::limiting_memory::global)) return;
    const auto traffic = bm::traffic(m, block, access);
    const auto shared = bm::total(m, block, access);
    const std::uint64_t requests = is_global ? traffic.requests : shared.requests,
                        cost = (is_global ? traffic.transactions : shared.wavefronts) / requests,
                        ideal = (is_global ? traffic.ideal : shared.ideal) / requests;
    if (cost <= most) return;
    most = cost;
    text = bm::text(access) + ": " + std::to_string(cost) +
           (is_global ? " sectors" : " wavefronts") + " a request, ideal " + std::to_string(ideal);
  });
  return text;
}

template <class Kernel>
void print(const char* name, const bm::machine& m, const Kernel& kernel) {
  const bm::kernel_costs all = bm::costs(m, kernel, grid);
  std::printf("%-22s %11llu %11llu %11llu %11llu  ", name,
              static_cast<unsigned long long>(all.global.transactions),
              static_cast<unsigned long long>(all.global.ideal),
              static_cast<unsigned long long>(all.shared.wavefronts),
              static_cast<unsigned long long>(all.shared.ideal));
  switch (all.limit) {
    case bm::limiting_memory::shared:
      std::printf("shared, %.1f to 1",
                  static_cast<double>(all.shared_cycles) / static_cast<double>(all.global_cycles));
      break;
    case bm::limiting_memory::global: {
      const auto shared = static_cast<double>(all.shared_cycles);
      if (shared > 0)
        std::printf("global, %.1f to 1", static_cast<double>(all.global_cycles) / shared);
      else
        std::printf("global");
      break;
    }
    case bm::limiting_memory::both: std::printf("both alike"); break;
    default: std::printf("no rates are known"); break;
  }
  const auto wasteful = all.global.transactions > all.global.ideal ? bm::limiting_memory::global
                                                                   : bm::limiting_memory::shared;
  if (all.global.transactions > all.global.ideal || all.shared.conflicts() > 0)
    std::printf("; %s", reason(m, kernel, wasteful).c_str());
  std::printf("\n");
}

void print_all(const bm::machine& m) {
  std::printf("%s\n%-22s %11s %11s %11s %11s\n%-22s %11s %11s %11s %11s  %s\n", bm::text(m).c_str(),
              "", "global", "", "shared", "", "", "sectors", "ideal", "wavefronts", "ideal",
              "which takes more cycles of a multiprocessor");
  print("copy", m, copy);
  print("naive transpose", m, naive);
  print("tiled", m, tiled);
  print("without bank conflicts", m, without_conflicts);
  print("fine-grained", m, fine_grained);
  print("coarse-grained", m, coarse_grained);
  print("diagonal", m, diagonal);
  std::printf("\n");
}

}  // namespace

int main() {
  std::printf("%d x %d floats, %d x %d blocks of 32 x 32 threads\n\n", side, side, tiles, tiles);
  print_all(bm::nvidia::sm_35);
  print_all(bm::nvidia::sm_90);
  const bm::cost loads = bm::totals(bm::nvidia::sm_35, copy).loads * grid.blocks();
  std::printf("The copy makes %llu shared loads, as the lecture's profiler counted.\n",
              static_cast<unsigned long long>(loads.requests));
  return loads.requests == 2'097'152 ? 0 : 1;
}
