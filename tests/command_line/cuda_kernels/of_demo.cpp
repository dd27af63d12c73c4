// SPDX-License-Identifier: MIT
// The kernels of the demo, and transpose.cu, on the CPU. Compiled with -fsanitize=thread:
// support/cuda_on_cpu.hpp.
#include "plain_results.hpp"

// The files of examples/cuda, in namespaces NAME_cu.
#include "cuda/convolutionColumnsKernel.hpp"
#include "cuda/convolutionRowsKernel.hpp"
#include "cuda/copySharedMem.hpp"
#include "cuda/lud_diagonal.hpp"
#include "cuda/lud_perimeter.hpp"
#include "cuda/needle_cuda_shared_1.hpp"
#include "cuda/shfl_vertical_shfl.hpp"
#include "cuda/stencil_3D_16x16_order8.hpp"
#include "cuda/transpose.hpp"
#include "cuda/transposeCoalesced.hpp"
#include "cuda/transposeCoarseGrained.hpp"
#include "cuda/transposeDiagonal.hpp"
#include "cuda/transposeFineGrained.hpp"
#include "cuda/transposeNoBankConflicts.hpp"

namespace {

using namespace plain_results;

// A tile of n x n numbers that begins at block (x, y) is moved to block (to_x, to_y).
template <class Launch>
bool moves(const Launch& launch, int side, int x, int y, int to_x, int to_y, bool transposes) {
  const int width = 1024;
  float *const out = zeros<float>(width * width), *const in = numbers(width * width);
  launch(out, in);
  return everywhere(side, side, [&](int row, int column) {
    const int from_row = transposes ? column : row, from_column = transposes ? row : column;
    return out[(side * to_y + row) * width + side * to_x + column] ==
           in[(side * y + from_row) * width + side * x + from_column];
  });
}

bool needle() {
  using namespace needle_cuda_shared_1_cu;
  const int diagonal = 8;
  int *const scores = zeros<int>(width * width), *const similarity = zeros<int>(width * width);
  for (int at = 0; at < width * width; ++at) {
    scores[at] = at * 37 % 101;
    similarity[at] = at * 53 % 23 - 11;
  }
  std::vector<int> plain(scores, scores + width * width);
  launch(scores, similarity, diagonal);
  const auto block = static_cast<int>(cuda_on_cpu::block_to_run.x);
  return everywhere(side, side, [&](int row, int column) {
    const int at = ((diagonal - 1 - block) * side + row + 1) * width + block * side + column + 1;
    const auto of = [&](int where) -> int& { return plain[static_cast<std::size_t>(where)]; };
    of(at) = max(of(at - width - 1) + similarity[at], max(of(at - 1), of(at - width)) - 10);
    return scores[at] == of(at);
  });
}

// A matrix whose decomposition needs no pivots.
float* diagonal_matrix(int width) {
  float* const result = numbers(width * width);
  for (int at = 0; at < width; ++at) result[at * width + at] += 20;
  return result;
}

bool lud_diagonal() {
  using namespace lud_diagonal_cu;
  float* const matrix = diagonal_matrix(width);
  const std::vector<float> before(matrix, matrix + width * width);
  launch(matrix, 0);
  return everywhere(side, side, [&](int row, int column) {
    double sum = 0;  // of the product of both triangles
    for (int k = 0; k <= std::min(row, column); ++k)
      sum += (k == row ? 1. : matrix[row * width + k]) * matrix[k * width + column];
    return near(sum, before[static_cast<std::size_t>(row * width + column)]);
  });
}

bool lud_perimeter() {
  using namespace lud_perimeter_cu;
  float* const matrix = diagonal_matrix(width);
  const std::vector<float> before(matrix, matrix + width * width);
  launch(matrix, 0);
  const int away = (bx() + 1) * side;
  return everywhere(side, side, [&](int row, int column) {
    double in_row = matrix[row * width + away + column], in_column = 0;
    for (int k = 0; k < row; ++k)
      in_row += matrix[row * width + k] * matrix[k * width + away + column];
    for (int k = 0; k <= column; ++k)
      in_column += matrix[(away + row) * width + k] * matrix[k * width + column];
    return near(in_row, before[static_cast<std::size_t>(row * width + away + column)]) &&
           near(in_column, before[static_cast<std::size_t>((away + row) * width + column)]);
  });
}

// `step`: from a pixel to its neighbour along the convolution.
template <class Launch>
bool convolves(const Launch& launch, float (&weights)[17], int rows, int columns, bool along_rows) {
  const int width = 3072;
  float *const out = zeros<float>(width * width), *const in = numbers(width * width);
  for (int at = 0; at < 17; ++at) weights[at] = static_cast<float>(at - 5);
  launch(out, in);
  return everywhere(rows, columns, [&](int tile_row, int tile_column) {
    const int row = by() * rows + tile_row, column = bx() * columns + tile_column;
    double sum = 0;
    for (int away = -8; away <= 8; ++away) {
      const int y = along_rows ? row : row + away, x = along_rows ? column + away : column;
      if (x >= 0 && x < width && y >= 0 && y < width) sum += weights[8 - away] * in[y * width + x];
    }
    return near(out[row * width + column], sum);
  });
}

bool stencil() {
  using namespace stencil_3D_16x16_order8_cu;
  float *const out = zeros<float>(plane * dimz), *const in = numbers(plane * dimz);
  for (int at = 0; at <= radius; ++at) coefficient[at] = static_cast<float>(5 - at);
  launch(out, in);
  return everywhere(side * (dimz - 2 * radius), side, [&](int row, int column) {
    const int z = row / side + radius, y = by() * side + row % side + radius;
    const int at = z * plane + y * dimx + bx() * side + column + radius;
    double sum = coefficient[0] * in[at];
    for (int away = 1; away <= radius; ++away)
      for (const int step : {1, dimx, plane})
        sum += coefficient[away] * (in[at - away * step] + in[at + away * step]);
    return near(out[at], sum);
  });
}

bool vertical() {
  using namespace shfl_vertical_shfl_cu;
  unsigned* const image = zeros<unsigned>(width * height);
  for (int at = 0; at < width * height; ++at) image[at] = static_cast<unsigned>(at * 37 % 101);
  std::vector<unsigned> sums(32, 0);
  const std::vector<unsigned> before(image, image + width * height);
  launch(image);
  return everywhere(height, 32, [&](int row, int column) {
    const int at = row * width + bx() * 32 + column;
    unsigned& sum = sums[static_cast<std::size_t>(column)];
    sum += before[static_cast<std::size_t>(at)];
    return image[at] == sum;
  });
}

}  // namespace

std::vector<tested_kernel> kernels_of_demo() {
  return {
      {"transpose", [] { return moves(transpose_cu::launch, 32, bx(), by(), by(), bx(), true); }},
      {"stencil_3D_16x16_order8", stencil},
      {"needle_cuda_shared_1", needle},
      {"copySharedMem",
       [] { return moves(copySharedMem_cu::launch, 16, bx(), by(), bx(), by(), false); }},
      {"transposeCoalesced",
       [] { return moves(transposeCoalesced_cu::launch, 16, bx(), by(), by(), bx(), true); }},
      {"transposeNoBankConflicts",
       [] { return moves(transposeNoBankConflicts_cu::launch, 16, bx(), by(), by(), bx(), true); }},
      {"transposeDiagonal",
       [] {
         const int x = (bx() + by()) % 64;
         return moves(transposeDiagonal_cu::launch, 16, x, bx(), bx(), x, true);
       }},
      {"transposeFineGrained",
       [] { return moves(transposeFineGrained_cu::launch, 16, bx(), by(), bx(), by(), true); }},
      {"transposeCoarseGrained",
       [] { return moves(transposeCoarseGrained_cu::launch, 16, bx(), by(), by(), bx(), false); }},
      {"lud_diagonal", lud_diagonal},
      {"lud_perimeter", lud_perimeter},
      {"convolutionRowsKernel",
       [] {
         using namespace convolutionRowsKernel_cu;
         return convolves(launch, c_Kernel, rows, results * columns, true);
       }},
      {"convolutionColumnsKernel",
       [] {
         using namespace convolutionColumnsKernel_cu;
         return convolves(launch, c_Kernel, results * rows, columns, false);
       }},
      {"shfl_vertical_shfl", vertical},
  };
}
