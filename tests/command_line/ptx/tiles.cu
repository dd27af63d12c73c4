// SPDX-License-Identifier: MIT
// Kernels whose accesses the library can describe: tests/command_line/ptx_reader.cpp compares.
//   nvcc -arch=sm_90 -lineinfo -ptx tiles.cu
template <int Columns>
__global__ void transpose(float* out, const float* in, int width) {
  __shared__ float tile[32][Columns];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];
}
template __global__ void transpose<32>(float*, const float*, int);
template __global__ void transpose<33>(float*, const float*, int);

// A product of tiles of 32 x 32; each thread has four columns.
__global__ void product(float4* c, const float4* a, const float4* b, int tiles) {
  __shared__ float4 left[32][8], right[32][8];
  const int x = threadIdx.x, y = threadIdx.y;
  float4 sum = {};
  for (int tile = 0; tile < tiles; ++tile) {
    left[y][x] = a[(blockIdx.y * 32 + y) * 8 * tiles + tile * 8 + x];
    right[y][x] = b[(tile * 32 + y) * 8 * gridDim.x + blockIdx.x * 8 + x];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < 32; ++k) {
      const float factor = reinterpret_cast<const float*>(&left[y][0])[k];
      const float4 with = right[k][x];
      sum.x += factor * with.x;
      sum.y += factor * with.y;
      sum.z += factor * with.z;
      sum.w += factor * with.w;
    }
    __syncthreads();
  }
  c[(blockIdx.y * 32 + y) * 8 * gridDim.x + blockIdx.x * 8 + x] = sum;
}

// The loops of an LU decomposition of a tile by one warp: its iterations depend on the thread.
__global__ void triangular(float* matrix) {
  __shared__ float tile[16][16];
  const int x = threadIdx.x;
  for (int i = 0; i < 16; ++i) tile[i][x] = matrix[i * 16 + x];
  __syncthreads();
#pragma unroll 1
  for (int i = 0; i < 15; ++i) {
    if (x > i) {
#pragma unroll 1
      for (int j = 0; j < i; ++j) tile[x][i] -= tile[x][j] * tile[j][i];
      tile[x][i] /= tile[i][i];
    }
    __syncthreads();
  }
  for (int i = 1; i < 16; ++i) matrix[i * 16 + x] = tile[i][x];
}
