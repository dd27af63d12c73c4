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
  float *const output = zeros<float>(width * width), *const input = numbers(width * width);
  launch(output, input);
  return everywhere(side, side, [&](int row, int column) {
    const int from_row = transposes ? column : row, from_column = transposes ? row : column;
    return output[(side * to_y + row) * width + side * to_x + column] ==
           input[(side * y + from_row) * width + side * x + from_column];
  });
}

bool needle() {
  using namespace needle_cuda_shared_1_cu;
  const int diagonal = 8;
  int *const scores = zeros<int>(width * width), *const similarity = zeros<int>(width * width);
  for (int element = 0; element < width * width; ++element) {
    scores[element] = element * 37 % 101;
    similarity[element] = element * 53 % 23 - 11;
  }
  std::vector<int> plain(scores, scores + width * width);
  launch(scores, similarity, diagonal);
  const auto block = static_cast<int>(cuda_on_cpu::block_to_run.x);
  return everywhere(side, side, [&](int row, int column) {
    const int element =
        ((diagonal - 1 - block) * side + row + 1) * width + block * side + column + 1;
    const auto plain_score = [&](int position) -> int& {
      return plain[static_cast<std::size_t>(position)];
    };
    plain_score(element) = max(plain_score(element - width - 1) + similarity[element],
                               max(plain_score(element - 1), plain_score(element - width)) - 10);
    return scores[element] == plain_score(element);
  });
}

// A matrix whose decomposition needs no pivots.
float* diagonal_matrix(int width) {
  float* const result = numbers(width * width);
  for (int row = 0; row < width; ++row) result[row * width + row] += 20;
  return result;
}

bool lud_diagonal() {
  using namespace lud_diagonal_cu;
  float* const matrix = diagonal_matrix(width);
  const std::vector<float> original(matrix, matrix + width * width);
  launch(matrix, 0);
  return everywhere(side, side, [&](int row, int column) {
    double sum = 0;  // of the product of both triangles
    for (int k = 0; k <= std::min(row, column); ++k)
      sum += (k == row ? 1. : matrix[row * width + k]) * matrix[k * width + column];
    return is_close(sum, original[static_cast<std::size_t>(row * width + column)]);
  });
}

bool lud_perimeter() {
  using namespace lud_perimeter_cu;
  float* const matrix = diagonal_matrix(width);
  const std::vector<float> original(matrix, matrix + width * width);
  launch(matrix, 0);
  const int away = (bx() + 1) * side;
  return everywhere(side, side, [&](int row, int column) {
    double in_row = matrix[row * width + away + column], in_column = 0;
    for (int k = 0; k < row; ++k)
      in_row += matrix[row * width + k] * matrix[k * width + away + column];
    for (int k = 0; k <= column; ++k)
      in_column += matrix[(away + row) * width + k] * matrix[k * width + column];
    return is_close(in_row, original[static_cast<std::size_t>(row * width + away + column)]) &&
           is_close(in_column, original[static_cast<std::size_t>((away + row) * width + column)]);
  });
}

// `step`: from a pixel to its neighbour along the convolution.
template <class Launch>
bool convolves(const Launch& launch, float (&weights)[17], int rows, int columns, bool along_rows) {
  const int width = 3072;
  float *const output = zeros<float>(width * width), *const input = numbers(width * width);
  for (int tap = 0; tap < 17; ++tap) weights[tap] = static_cast<float>(tap - 5);
  launch(output, input);
  return everywhere(rows, columns, [&](int tile_row, int tile_column) {
    const int row = by() * rows + tile_row, column = bx() * columns + tile_column;
    double sum = 0;
    for (int away = -8; away <= 8; ++away) {
      const int y = along_rows ? row : row + away, x = along_rows ? column + away : column;
      if (x >= 0 && x < width && y >= 0 && y < width)
        sum += weights[8 - away] * input[y * width + x];
    }
    return is_close(output[row * width + column], sum);
  });
}

bool stencil() {
  using namespace stencil_3D_16x16_order8_cu;
  float *const output = zeros<float>(plane * dimz), *const input = numbers(plane * dimz);
  for (int distance = 0; distance <= radius; ++distance)
    coefficient[distance] = static_cast<float>(5 - distance);
  launch(output, input);
  return everywhere(side * (dimz - 2 * radius), side, [&](int row, int column) {
    const int z = row / side + radius, y = by() * side + row % side + radius;
    const int element = z * plane + y * dimx + bx() * side + column + radius;
    double sum = coefficient[0] * input[element];
    for (int away = 1; away <= radius; ++away)
      for (const int step : {1, dimx, plane})
        sum += coefficient[away] * (input[element - away * step] + input[element + away * step]);
    return is_close(output[element], sum);
  });
}

bool vertical() {
  using namespace shfl_vertical_shfl_cu;
  unsigned* const image = zeros<unsigned>(width * height);
  for (int pixel = 0; pixel < width * height; ++pixel)
    image[pixel] = static_cast<unsigned>(pixel * 37 % 101);
  std::vector<unsigned> sums(32, 0);
  const std::vector<unsigned> original(image, image + width * height);
  launch(image);
  return everywhere(height, 32, [&](int row, int column) {
    const int pixel = row * width + bx() * 32 + column;
    unsigned& sum = sums[static_cast<std::size_t>(column)];
    sum += original[static_cast<std::size_t>(pixel)];
    return image[pixel] == sum;
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
