// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_PRESENTATION_HPP
#define BANKMODEL_EXAMPLES_PRESENTATION_HPP

#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/model/occupancy.hpp>
#include <cstdio>

// I. Mungiello, third-year presentation, Naples 2018: six kernels on a Jetson TK1 and a TX2.
// Padding costs memory, and memory costs resident blocks; permutations cost registers.
namespace presentation {

namespace bm = bankmodel;

// One column of a table, with the mappings native, padding, AMM (a rotation) and TBM (triangular).
struct column {
  const char* kernel;
  int threads;
  int native_bytes, padded_bytes;
  int registers[4];
  int blocks[4];
  double measured[4];  // achieved occupancy in percent
};
inline constexpr column tk1[] = {
    {"DCT", 128, 4096, 4224, {19, 19, 32, 32}, {12, 11, 12, 12}, {73.04, 67.03, 73.04, 73.04}},
    {"Transpose", 256, 16384, 16640, {23, 23, 30, 28}, {3, 2, 3, 3}, {36, 24, 36, 36}},
    {"Convolution Col", 128, 8192, 8320, {33, 33, 33, 41}, {6, 5, 6, 6}, {36, 24, 36, 36}},
    {"Convolution Row", 64, 8192, 8320, {32, 32, 41, 49}, {6, 5, 6, 6}, {18, 14, 18, 18}},
    {"Lud Perimeter", 64, 12288, 12416, {36, 36, 36, 36}, {4, 3, 4, 4}, {12, 9, 12, 12}},
    {"Lud Diagonal", 64, 16384, 16640, {34, 34, 35, 35}, {3, 2, 3, 3}, {9, 6, 9, 9}},
};
inline constexpr column tx2[] = {
    {"DCT", 128, 4096, 4224, {25, 24, 37, 37}, {16, 15, 12, 12}, {96.83, 90.50, 71.90, 72.3}},
    {"Transpose", 256, 16384, 16640, {32, 32, 32, 32}, {4, 3, 4, 4}, {47, 35.5, 46.6, 46.3}},
    {"Convolution Col", 512, 32768, 33280, {32, 32, 32, 48}, {2, 1, 2, 2}, {49.7, 41.7, 48, 48}},
    {"Convolution Row",
     256,
     32768,
     33792,
     {32, 32, 40, 48},
     {2, 1, 2, 2},
     {23.2, 21.4, 24.3, 23.7}},
    {"Lud Perimeter", 64, 12288, 12416, {32, 32, 32, 32}, {5, 5, 5, 5}, {15.5, 15.4, 15.4, 15.4}},
    {"Lud Diagonal", 64, 16384, 16640, {32, 32, 32, 32}, {4, 3, 4, 4}, {12.4, 9.1, 12.5, 12.5}},
};
constexpr bm::block_resources block_of(const column& c, int mapping) {
  return {c.threads, mapping == 1 ? c.padded_bytes : c.native_bytes, c.registers[mapping]};
}

// A table of the demo: the resident blocks of each, by the library.
template <int Columns>
void print(const char* name, const bm::machine& m, const column (&table)[Columns]) {
  for (const column& c : table) {
    std::printf("%-24s %-10s |", c.kernel, name);
    for (int mapping = 0; mapping < 4; ++mapping) {
      const bm::block_resources block = block_of(c, mapping);
      std::printf(" %6lld %4d %6d |", block.shared_bytes, block.registers_per_thread,
                  bm::resident(m, block).blocks);
    }
    std::printf("\n");
  }
}
inline void print() {
  std::printf("\n\n%-35s | %-18s | %-18s | %-18s | %-18s |\n%-35s |", "", "native", "padding",
              "rotation", "triangular", "kernel");
  for (int mapping = 0; mapping < 4; ++mapping)
    std::printf(" %6s %4s %6s |", "bytes", "regs", "blocks");
  std::printf("\n%s\n",
              "------------------------------------------------------------------------------------"
              "-----------------------------------");
  print("Jetson TK1", bm::nvidia::sm_32, tk1);
  print("Jetson TX2", bm::nvidia::sm_62, tx2);
}

}  // namespace presentation

#endif
