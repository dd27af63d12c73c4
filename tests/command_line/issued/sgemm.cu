// SPDX-License-Identifier: MIT
// A matrix product of 128 x 128 tiles, 8 x 8 results a thread: its loads from shared memory are
// scalar in the source, and nvcc makes instructions of 16 bytes of them.
constexpr int tile = 128, depth = 8, each = 8;

__global__ void __launch_bounds__(256)
    sgemm(int m, int n, int k, const float* a, const float* b, float* c) {
  __shared__ float rows[depth * tile];     // of a, transposed
  __shared__ float columns[depth * tile];  // of b
  const int first_row = blockIdx.y * tile, first_column = blockIdx.x * tile;
  const int row = threadIdx.x / (tile / each) * each, column = threadIdx.x % (tile / each) * each;
  float sum[each][each] = {};
  for (int start = 0; start < k; start += depth) {
    for (int at = threadIdx.x; at < depth * tile; at += 256) {
      rows[at % depth * tile + at / depth] = a[(first_row + at / depth) * k + start + at % depth];
      columns[at] = b[(start + at / tile) * n + first_column + at % tile];
    }
    __syncthreads();
    for (int inner = 0; inner < depth; ++inner) {
      float left[each], right[each];
      for (int i = 0; i < each; ++i) left[i] = rows[inner * tile + row + i];
      for (int j = 0; j < each; ++j) right[j] = columns[inner * tile + column + j];
      for (int i = 0; i < each; ++i)
        for (int j = 0; j < each; ++j) sum[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < each; ++i)
    for (int j = 0; j < each; ++j)
      c[(first_row + row + i) * n + first_column + column + j] = sum[i][j];
}
