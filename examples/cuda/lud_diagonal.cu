// SPDX-License-Identifier: MIT
// LU decomposition by tiles: the tile on the diagonal, by half a warp.
// bankmodel examples/cuda/lud_diagonal.cu --arg offset=0
constexpr int side = 16, width = 256;

__global__ void lud_diagonal(float* matrix, int offset) {
  __shared__ float shadow[side][side];
  const int tx = threadIdx.x;
  const int corner = offset * width + offset;
  for (int i = 0; i < side; ++i) shadow[i][tx] = matrix[corner + i * width + tx];
  __syncthreads();
  for (int i = 0; i < side - 1; ++i) {
    if (tx > i) {
      for (int j = 0; j < i; ++j) shadow[tx][i] -= shadow[tx][j] * shadow[j][i];
      shadow[tx][i] /= shadow[i][i];
    }
    __syncthreads();
    if (tx > i)
      for (int j = 0; j < i + 1; ++j) shadow[i + 1][tx] -= shadow[i + 1][j] * shadow[j][tx];
    __syncthreads();
  }
  for (int i = 1; i < side; ++i) matrix[corner + i * width + tx] = shadow[i][tx];
}

void launch(float* matrix, int offset) { lud_diagonal<<<1, side>>>(matrix, offset); }
