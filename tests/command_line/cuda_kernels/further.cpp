// SPDX-License-Identifier: MIT
// Further kernels of examples/cuda on the CPU. Compiled with -fsanitize=thread:
// support/cuda_on_cpu.hpp.
#include <complex>
#include <numeric>

#include "plain_results.hpp"

// The files of examples/cuda, in namespaces NAME_cu.
#include "cuda/batched_transpose.hpp"
#include "cuda/bitonic_sort.hpp"
#include "cuda/compact.hpp"
#include "cuda/fft.hpp"
#include "cuda/heat.hpp"
#include "cuda/layernorm.hpp"
#include "cuda/matmul.hpp"
#include "cuda/nbody.hpp"
#include "cuda/reduce.hpp"
#include "cuda/scan.hpp"
#include "cuda/sgemm_float4.hpp"
#include "cuda/softmax.hpp"
#include "cuda/spmv.hpp"

namespace {

using namespace plain_results;

bool reduce() {
  float *const sums = zeros<float>(64), *const input = numbers(64 * 256);
  reduce_cu::launch(sums, input);
  return is_close(sums[bx()], std::accumulate(input + 256 * bx(), input + 256 * bx() + 256, 0.));
}

bool scan() {
  float *const output = zeros<float>(64 * 512), *const input = numbers(64 * 512);
  scan_cu::launch(output, input);
  double sum = 0;
  return everywhere(1, 512, [&](int, int column) {
    const int element = 512 * bx() + column;
    const double previous = sum;
    sum += input[element];
    return is_close(output[element], previous);
  });
}

template <class Launch>
bool multiplies(const Launch &launch, int side) {
  const int width = 256;
  float *const c = zeros<float>(width * width);
  float *const a = numbers(width * width), *const b = numbers(width * width);
  launch(c, a, b);
  return everywhere(side, side, [&](int tile_row, int tile_column) {
    const int row = by() * side + tile_row, column = bx() * side + tile_column;
    double sum = 0;
    for (int k = 0; k < width; ++k) sum += a[row * width + k] * b[k * width + column];
    return is_close(c[row * width + column], sum);
  });
}

bool sort() {
  float *const data = numbers(16 * 512);
  float *const first = data + 512 * bx();
  std::vector<float> sorted(first, first + 512);
  std::sort(sorted.begin(), sorted.end());
  bitonic_sort_cu::launch(data);
  return std::equal(sorted.begin(), sorted.end(), first);
}

bool transform() {
  float *const data = numbers(2 * 16 * 512);
  float *const first = data + 2 * 512 * bx();
  const std::vector<float> original(first, first + 2 * 512);
  fft_cu::launch(reinterpret_cast<float2 *>(data));
  return everywhere(1, 512, [&](int, int frequency) {
    std::complex<double> sum = 0;
    for (int sample = 0; sample < 512; ++sample)
      sum += std::polar(1., -2 * std::acos(-1.) * frequency * sample / 512) *
             std::complex<double>(original[static_cast<std::size_t>(2 * sample)],
                                  original[static_cast<std::size_t>(2 * sample + 1)]);
    return std::abs(sum - std::complex<double>(first[2 * frequency], first[2 * frequency + 1])) <
           1e-3;
  });
}

bool softmax() {
  const int width = softmax_cu::columns;
  float *const output = zeros<float>(64 * width), *const input = numbers(64 * width);
  softmax_cu::launch(output, input);
  double sum = 0;
  for (int element = 0; element < width; ++element) sum += std::exp(input[bx() * width + element]);
  return everywhere(1, width, [&](int, int column) {
    const int element = bx() * width + column;
    return is_close(output[element] * sum, std::exp(input[element]));
  });
}

bool layernorm() {
  const int width = 256;
  float *const output = zeros<float>(128 * width), *const input = numbers(128 * width);
  float *const scale = numbers(width), *const shift = numbers(width);
  const auto wide = [](float *pointer) { return reinterpret_cast<float4 *>(pointer); };
  layernorm_cu::launch(wide(output), wide(input), wide(scale), wide(shift));
  return everywhere(4, width, [&](int row, int column) {
    const float *const elements = input + (4 * bx() + row) * width;
    const double mean = std::accumulate(elements, elements + width, 0.) / width;
    const double squares =
        std::inner_product(elements, elements + width, elements, 0.) / width - mean * mean;
    const double normal = (elements[column] - mean) / std::sqrt(squares + 1e-5);
    return is_close(output[(4 * bx() + row) * width + column],
                    normal * scale[column] + shift[column]);
  });
}

bool nbody() {
  using namespace nbody_cu;
  float *const output = zeros<float>(4 * bodies), *const input = numbers(4 * bodies);
  launch(reinterpret_cast<float4 *>(output), reinterpret_cast<float4 *>(input));
  return everywhere(threads, 3, [&](int thread, int axis) {
    const float *const body = input + 4 * (bx() * threads + thread);
    double sum = 0;
    for (const float *other = input; other < input + 4 * bodies; other += 4) {
      double squares = 1e-4;
      for (int dimension = 0; dimension < 3; ++dimension)
        squares += (other[dimension] - body[dimension]) * (other[dimension] - body[dimension]);
      sum += other[3] * std::pow(squares, -1.5) * (other[axis] - body[axis]);
    }
    return std::abs(output[4 * (bx() * threads + thread) + axis] - sum) <
           1e-2 * (1 + std::abs(sum));
  });
}

bool batched() {
  using namespace batched_transpose_cu;
  float *const output = zeros<float>(matrices * n * n), *const input = numbers(matrices * n * n);
  launch(output, input);
  const int first = bz() * n * n;
  return everywhere(side, side, [&](int row, int column) {
    return output[first + (side * bx() + row) * n + side * by() + column] ==
           input[first + (side * by() + column) * n + side * bx() + row];
  });
}

bool compact() {
  float *const kept = zeros<float>(64 * 256), *const input = numbers(64 * 256);
  int *const count = zeros<int>(1);
  *count = 7;
  compact_cu::launch(kept, count, input);
  std::vector<float> positive(7, 0.f);
  for (int element = 256 * bx(); element < 256 * bx() + 256; ++element)
    if (input[element] > 0) positive.push_back(input[element]);
  return *count == static_cast<int>(positive.size()) &&
         std::equal(positive.begin(), positive.end(), kept);
}

bool spmv() {
  const int rows = 1024, width = 16;
  float *const y = zeros<float>(rows), *const values = numbers(rows * width);
  int *const columns = zeros<int>(rows * width);
  float *const x = numbers(rows);
  for (int element = 0; element < rows * width; ++element) columns[element] = element * 37 % rows;
  spmv_cu::launch(y, values, columns, x);
  return everywhere(1, 32, [&](int, int tile_row) {
    const int row = 32 * bx() + tile_row;
    double sum = 0;
    for (int element = row * width; element < (row + 1) * width; ++element)
      sum += values[element] * x[columns[element]];
    return is_close(y[row], sum);
  });
}

bool heat() {
  using namespace heat_cu;
  float *const output = zeros<float>(pitch * pitch), *const input = numbers(pitch * pitch);
  launch(output, input);
  return everywhere(side, side, [&](int row, int column) {
    const int element = (by() * side + row + 1) * pitch + bx() * side + column + 1;
    const double neighbours =
        input[element - pitch] + input[element + pitch] + input[element - 1] + input[element + 1];
    return is_close(output[element], input[element] + 0.2 * (neighbours - 4 * input[element]));
  });
}

}  // namespace

std::vector<tested_kernel> further_kernels() {
  return {
      {"reduce", reduce},
      {"scan", scan},
      {"matmul", [] { return multiplies(matmul_cu::launch, 16); }},
      {"sgemm_float4", [] { return multiplies(sgemm_float4_cu::launch, 64); }},
      {"bitonic_sort", sort},
      {"fft", transform},
      {"softmax", softmax},
      {"layernorm", layernorm},
      {"nbody", nbody},
      {"batched_transpose", batched},
      {"compact", compact},
      {"spmv", spmv},
      {"heat", heat},
  };
}
