// SPDX-License-Identifier: MIT
// For programs that run kernels of examples/cuda on the CPU and compare a block's results with
// those of plain loops.
#ifndef BANKMODEL_TESTS_CUDA_KERNELS_PLAIN_RESULTS_HPP
#define BANKMODEL_TESTS_CUDA_KERNELS_PLAIN_RESULTS_HPP

#include <algorithm>
#include <cmath>
#include <vector>

#include "cuda_on_cpu.hpp"

struct tested_kernel {
  const char* name;
  bool (*is_right)();  // runs block_to_run, and compares
};
std::vector<tested_kernel> kernels_of_demo();
std::vector<tested_kernel> further_kernels();

namespace plain_results {

using cuda_on_cpu::block_to_run;

template <class T>
T* zeros(int count) {
  return static_cast<T*>(cuda_on_cpu::allocate(static_cast<std::size_t>(count) * sizeof(T)));
}
// Numbers between -1 and 1, others at each call.
inline float* numbers(int count) {
  static std::uint32_t state = 1;
  float* const result = zeros<float>(count);
  for (int element = 0; element < count; ++element) {
    state = state * 1664525 + 1013904223;
    result[element] = static_cast<float>(state >> 8) / (1 << 23) - 1;
  }
  return result;
}
inline bool is_close(double value, double other) {
  return std::abs(value - other) <= 1e-4 * (1 + std::abs(other));
}

inline int bx() { return static_cast<int>(block_to_run.x); }
inline int by() { return static_cast<int>(block_to_run.y); }
inline int bz() { return static_cast<int>(block_to_run.z); }

// True if is_right(row, column) is, for all of a tile.
template <class Check>
bool everywhere(int rows, int columns, const Check& is_right) {
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      if (!is_right(row, column)) return false;
  return true;
}

}  // namespace plain_results

#endif
