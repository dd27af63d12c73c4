// SPDX-License-Identifier: MIT
// Needleman-Wunsch: a tile of the score matrix for each block of an anti-diagonal of tiles, itself
// computed along anti-diagonals.
// bankmodel examples/cuda/needle_cuda_shared_1.cu --arg diagonal=8
constexpr int side = 16, width = 16 * side + 1;

__global__ void needle_cuda_shared_1(int* scores, const int* similarity, int diagonal,
                                     int penalty) {
  __shared__ int ref[side][side];
  __shared__ int temp[side + 1][side + 1];
  const int tx = threadIdx.x;
  const int corner = (diagonal - 1 - blockIdx.x) * side * width + blockIdx.x * side;
  if (tx == 0) temp[0][0] = scores[corner];
  for (int k = 0; k < side; ++k) ref[k][tx] = similarity[corner + (k + 1) * width + tx + 1];
  temp[tx + 1][0] = scores[corner + (tx + 1) * width];
  temp[0][tx + 1] = scores[corner + tx + 1];
  __syncthreads();
  for (int m = 0; m < side; ++m) {
    if (tx <= m) {
      const int row = m - tx, column = tx;
      const int here = temp[row][column] + ref[row][column];
      const int gap = max(temp[row + 1][column], temp[row][column + 1]) - penalty;
      temp[row + 1][column + 1] = max(here, gap);
    }
    __syncthreads();
  }
  for (int m = side - 2; m >= 0; --m) {
    if (tx <= m) {
      const int row = side - 1 - tx, column = tx + side - 1 - m;
      const int here = temp[row][column] + ref[row][column];
      const int gap = max(temp[row + 1][column], temp[row][column + 1]) - penalty;
      temp[row + 1][column + 1] = max(here, gap);
    }
    __syncthreads();
  }
  for (int k = 0; k < side; ++k) scores[corner + (k + 1) * width + tx + 1] = temp[k + 1][tx + 1];
}

void launch(int* scores, const int* similarity, int diagonal) {
  needle_cuda_shared_1<<<diagonal, side>>>(scores, similarity, diagonal, 10);
}
