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
  float *const sums = zeros<float>(64), *const in = numbers(64 * 256);
  reduce_cu::launch(sums, in);
  return near(sums[bx()], std::accumulate(in + 256 * bx(), in + 256 * bx() + 256, 0.));
}

bool scan() {
  float *const out = zeros<float>(64 * 512), *const in = numbers(64 * 512);
  scan_cu::launch(out, in);
  double sum = 0;
  return everywhere(1, 512, [&](int, int column) {
    const int at = 512 * bx() + column;
    const double before = sum;
    sum += in[at];
    return near(out[at], before);
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
    return near(c[row * width + column], sum);
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
  const std::vector<float> before(first, first + 2 * 512);
  fft_cu::launch(reinterpret_cast<float2 *>(data));
  return everywhere(1, 512, [&](int, int frequency) {
    std::complex<double> sum = 0;
    for (int at = 0; at < 512; ++at)
      sum += std::polar(1., -2 * std::acos(-1.) * frequency * at / 512) *
             std::complex<double>(before[static_cast<std::size_t>(2 * at)],
                                  before[static_cast<std::size_t>(2 * at + 1)]);
    return std::abs(sum - std::complex<double>(first[2 * frequency], first[2 * frequency + 1])) <
           1e-3;
  });
}

bool softmax() {
  const int width = softmax_cu::columns;
  float *const out = zeros<float>(64 * width), *const in = numbers(64 * width);
  softmax_cu::launch(out, in);
  double sum = 0;
  for (int at = 0; at < width; ++at) sum += std::exp(in[bx() * width + at]);
  return everywhere(1, width, [&](int, int column) {
    const int at = bx() * width + column;
    return near(out[at] * sum, std::exp(in[at]));
  });
}

bool layernorm() {
  const int width = 256;
  float *const out = zeros<float>(128 * width), *const in = numbers(128 * width);
  float *const scale = numbers(width), *const shift = numbers(width);
  const auto wide = [](float *of) { return reinterpret_cast<float4 *>(of); };
  layernorm_cu::launch(wide(out), wide(in), wide(scale), wide(shift));
  return everywhere(4, width, [&](int row, int column) {
    const float *const all = in + (4 * bx() + row) * width;
    const double mean = std::accumulate(all, all + width, 0.) / width;
    const double squares = std::inner_product(all, all + width, all, 0.) / width - mean * mean;
    const double normal = (all[column] - mean) / std::sqrt(squares + 1e-5);
    return near(out[(4 * bx() + row) * width + column], normal * scale[column] + shift[column]);
  });
}

bool nbody() {
  using namespace nbody_cu;
  float *const out = zeros<float>(4 * bodies), *const in = numbers(4 * bodies);
  launch(reinterpret_cast<float4 *>(out), reinterpret_cast<float4 *>(in));
  return everywhere(threads, 3, [&](int thread, int axis) {
    const float *const here = in + 4 * (bx() * threads + thread);
    double sum = 0;
    for (const float *there = in; there < in + 4 * bodies; there += 4) {
      double squares = 1e-4;
      for (int each = 0; each < 3; ++each)
        squares += (there[each] - here[each]) * (there[each] - here[each]);
      sum += there[3] * std::pow(squares, -1.5) * (there[axis] - here[axis]);
    }
    return std::abs(out[4 * (bx() * threads + thread) + axis] - sum) < 1e-2 * (1 + std::abs(sum));
  });
}

bool batched() {
  using namespace batched_transpose_cu;
  float *const out = zeros<float>(matrices * n * n), *const in = numbers(matrices * n * n);
  launch(out, in);
  const int first = bz() * n * n;
  return everywhere(side, side, [&](int row, int column) {
    return out[first + (side * bx() + row) * n + side * by() + column] ==
           in[first + (side * by() + column) * n + side * bx() + row];
  });
}

bool compact() {
  float *const kept = zeros<float>(64 * 256), *const in = numbers(64 * 256);
  int *const count = zeros<int>(1);
  *count = 7;
  compact_cu::launch(kept, count, in);
  std::vector<float> positive(7, 0.f);
  for (int at = 256 * bx(); at < 256 * bx() + 256; ++at)
    if (in[at] > 0) positive.push_back(in[at]);
  return *count == static_cast<int>(positive.size()) &&
         std::equal(positive.begin(), positive.end(), kept);
}

bool spmv() {
  const int rows = 1024, most = 16;
  float *const y = zeros<float>(rows), *const values = numbers(rows * most);
  int *const columns = zeros<int>(rows * most);
  float *const x = numbers(rows);
  for (int at = 0; at < rows * most; ++at) columns[at] = at * 37 % rows;
  spmv_cu::launch(y, values, columns, x);
  return everywhere(1, 32, [&](int, int tile_row) {
    const int row = 32 * bx() + tile_row;
    double sum = 0;
    for (int at = row * most; at < (row + 1) * most; ++at) sum += values[at] * x[columns[at]];
    return near(y[row], sum);
  });
}

bool heat() {
  using namespace heat_cu;
  float *const out = zeros<float>(pitch * pitch), *const in = numbers(pitch * pitch);
  launch(out, in);
  return everywhere(side, side, [&](int row, int column) {
    const int at = (by() * side + row + 1) * pitch + bx() * side + column + 1;
    const double around = in[at - pitch] + in[at + pitch] + in[at - 1] + in[at + 1];
    return near(out[at], in[at] + 0.2 * (around - 4 * in[at]));
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
