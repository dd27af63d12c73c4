// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_LECTURE_TRANSPOSES_HPP
#define BANKMODEL_EXAMPLES_LECTURE_TRANSPOSES_HPP

#include <bankmodel/global.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/report.hpp>
#include <cstdio>
#include <string>

// A table of the demo: seven ways to copy or transpose a matrix, from a lecture and from
// CUDA's samples; the sectors of global memory and the passes through shared memory of each, and
// which of the two takes longer.
namespace lecture_transposes {

namespace bm = bankmodel;
using namespace bm::index;

// 8192 x 8192 floats in tiles of 32 x 32, one for each block of 1024 threads: the lecture's launch.
constexpr int tiles = 256, side = 32 * tiles;
constexpr bm::block_dim block{32, 32};
constexpr bm::grid_dim grid{tiles, tiles};
constexpr auto input = bm::global_array<float>("in", side, side);
constexpr auto output = bm::global_array<float>("out", side, side);
constexpr auto square = bm::shared_array<float>("tile", 32, 32);
constexpr auto padded = bm::shared_array<float>("tile", 32, 33);

// Element [ty][tx] of the tile in row `row` and column `column` of tiles.
constexpr auto element(const bm::array_description& matrix, const auto& row, const auto& column) {
  return matrix[32 * row + ty][32 * column + tx];
}

constexpr auto copy = bm::kernel(block, bm::load(element(input, by, bx)), bm::store(square[ty][tx]),
                                 bm::load(square[ty][tx]), bm::store(element(output, by, bx)));
constexpr auto naive = bm::kernel(block, bm::load(element(input, by, bx)),
                                  bm::store(output[32 * bx + tx][32 * by + ty]));
constexpr auto tiled =
    bm::kernel(block, bm::load(element(input, by, bx)), bm::store(square[ty][tx]),
               bm::load(square[tx][ty]), bm::store(element(output, bx, by)));
constexpr auto without_conflicts =
    bm::kernel(block, bm::load(element(input, by, bx)), bm::store(padded[ty][tx]),
               bm::load(padded[tx][ty]), bm::store(element(output, bx, by)));
// Only the elements of each tile are transposed, and only the tiles.
constexpr auto fine_grained =
    bm::kernel(block, bm::load(element(input, by, bx)), bm::store(padded[ty][tx]),
               bm::load(padded[tx][ty]), bm::store(element(output, by, bx)));
constexpr auto coarse_grained =
    bm::kernel(block, bm::load(element(input, by, bx)), bm::store(padded[ty][tx]),
               bm::load(padded[ty][tx]), bm::store(element(output, bx, by)));
// Blocks in the order of diagonals, so that those that run together use all partitions of the
// memory of compute capability 1.x.
constexpr auto diagonal =
    bm::kernel(block, bm::load(element(input, bx, (bx + by) % tiles)), bm::store(padded[ty][tx]),
               bm::load(padded[tx][ty]), bm::store(element(output, (bx + by) % tiles, bx)));

// The access with the most transactions or wavefronts beyond the ideal, per request.
template <class Kernel>
std::string most_wasteful(const bm::machine& m, const Kernel& kernel) {
  std::string text;
  std::uint64_t maximum = 0;
  const auto look = [&](const auto& access, std::uint64_t requests, std::uint64_t count,
                        std::uint64_t ideal, const char* unit) {
    if (count - ideal <= maximum) return;
    maximum = count - ideal;
    text = bm::text(access) + ", " + std::to_string(count / requests) + " " + unit + " for " +
           std::to_string(ideal / requests);
  };
  bm::for_each_access(kernel, [&](const auto& access) {
    const bm::memory_traffic global = bm::traffic(m, block, access);
    const bm::cost shared = bm::total(m, block, access);
    look(access, global.requests, global.transactions, global.ideal, "sectors");
    look(access, shared.requests, shared.wavefronts, shared.ideal, "wavefronts");
  });
  return text;
}

inline std::string slower_memory(const bm::kernel_costs& costs) {
  const auto ratio = [](std::uint64_t dividend, std::uint64_t divisor) {
    char text[32] = "";
    if (divisor != 0)
      std::snprintf(text, sizeof text, ", %.1f times",
                    static_cast<double>(dividend) / static_cast<double>(divisor));
    return std::string(text);
  };
  switch (costs.limit) {
    case bm::limiting_memory::shared:
      return "shared" + ratio(costs.shared_cycles, costs.global_cycles);
    case bm::limiting_memory::global:
      return "global" + ratio(costs.global_cycles, costs.shared_cycles);
    case bm::limiting_memory::both: return "both alike";
    default: return "unknown";
  }
}

template <class Kernel>
void print_kernel(const char* name, const bm::machine& m, const Kernel& kernel) {
  const bm::kernel_costs costs = bm::costs(m, kernel, grid);
  const auto millions = [](std::uint64_t count) { return static_cast<double>(count) / 1e6; };
  std::printf("%-23s | %7.1f %7.1f | %10.1f %7.1f | %-18s | %s\n", name,
              millions(costs.global.transactions), millions(costs.global.ideal),
              millions(costs.shared.wavefronts), millions(costs.shared.ideal),
              slower_memory(costs).c_str(), most_wasteful(m, kernel).c_str());
}

inline void print(const bm::machine& m) {
  std::printf("%-23s | %15s | %18s | %-18s |\n%-23s | %7s %7s | %10s %7s | %-18s | %s\n%s\n", "",
              "global memory", "shared memory", "", bm::text(m).c_str(), "sectors", "ideal",
              "wavefronts", "ideal", "slower", "most wasteful access, per request",
              std::string(120, '-').c_str());
  print_kernel("copy", m, copy);
  print_kernel("naive transpose", m, naive);
  print_kernel("tiled", m, tiled);
  print_kernel("without bank conflicts", m, without_conflicts);
  print_kernel("fine-grained", m, fine_grained);
  print_kernel("coarse-grained", m, coarse_grained);
  print_kernel("diagonal", m, diagonal);
}

}  // namespace lecture_transposes

#endif
