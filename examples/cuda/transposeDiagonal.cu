// SPDX-License-Identifier: MIT
// As transposeNoBankConflicts; blocks are numbered along diagonals of the matrix.
// bankmodel examples/cuda/transposeDiagonal.cu
constexpr int tile_dim = 16, block_rows = 16, width = 1024, repetitions = 1;

__global__ void transposeDiagonal(float* odata, const float* idata) {
  __shared__ float tile[tile_dim][tile_dim + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.x, column = (blockIdx.x + blockIdx.y) % gridDim.x;
  const int here = column * tile_dim + tx + (row * tile_dim + ty) * width;
  const int turned = row * tile_dim + tx + (column * tile_dim + ty) * width;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (int i = 0; i < tile_dim; i += block_rows) tile[ty + i][tx] = idata[here + i * width];
    __syncthreads();
    for (int i = 0; i < tile_dim; i += block_rows) odata[turned + i * width] = tile[tx][ty + i];
    __syncthreads();
  }
}

void launch(float* odata, const float* idata) {
  transposeDiagonal<<<dim3(width / tile_dim, width / tile_dim), dim3(tile_dim, block_rows)>>>(
      odata, idata);
}
