// SPDX-License-Identifier: MIT
// Transposes a matrix of n x n floats through a tile that is read by columns.
// bankmodel examples/cuda/transpose.cu --arg n=1024
__global__ void transpose(float* out, const float* in, int n) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

void launch(float* out, const float* in) {
  const int n = 1024;
  transpose<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(out, in, n);
}
