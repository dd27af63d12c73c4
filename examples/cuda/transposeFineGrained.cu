// SPDX-License-Identifier: MIT
// Transposes each tile of a matrix in its place.
// bankmodel examples/cuda/transposeFineGrained.cu
constexpr int tile_dim = 16, block_rows = 16, width = 1024, repetitions = 1;

__global__ void transposeFineGrained(float* odata, const float* idata) {
  __shared__ float block[tile_dim][tile_dim + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int here = blockIdx.x * tile_dim + tx + (blockIdx.y * tile_dim + ty) * width;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (int i = 0; i < tile_dim; i += block_rows) block[ty + i][tx] = idata[here + i * width];
    __syncthreads();
    for (int i = 0; i < tile_dim; i += block_rows) odata[here + i * width] = block[tx][ty + i];
    __syncthreads();
  }
}

void launch(float* odata, const float* idata) {
  transposeFineGrained<<<dim3(width / tile_dim, width / tile_dim), dim3(tile_dim, block_rows)>>>(
      odata, idata);
}
