// SPDX-License-Identifier: MIT
// Copies a matrix through a tile in shared memory, without transposing it.
// bankmodel examples/cuda/copySharedMem.cu
constexpr int tile_dim = 16, block_rows = 16, width = 1024, repetitions = 1;

__global__ void copySharedMem(float* odata, const float* idata) {
  __shared__ float tile[tile_dim][tile_dim];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int here = blockIdx.x * tile_dim + tx + (blockIdx.y * tile_dim + ty) * width;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (int i = 0; i < tile_dim; i += block_rows) tile[ty][tx] = idata[here];
    __syncthreads();
    for (int i = 0; i < tile_dim; i += block_rows) odata[here] = tile[ty][tx];
    __syncthreads();
  }
}

void launch(float* odata, const float* idata) {
  copySharedMem<<<dim3(width / tile_dim, width / tile_dim), dim3(tile_dim, block_rows)>>>(odata,
                                                                                          idata);
}
