// SPDX-License-Identifier: MIT
// The kernel on the project's front page: a tile that is written by rows and read by columns.
__global__ void transpose(float* out, const float* in) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[32 * threadIdx.y + threadIdx.x];
  __syncthreads();
  out[32 * threadIdx.y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
