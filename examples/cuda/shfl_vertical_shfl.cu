// SPDX-License-Identifier: MIT
// Sums of an image's columns from the top to each row: the second half of an integral image. A warp
// adds up eight rows of four columns by shuffles.
// bankmodel examples/cuda/shfl_vertical_shfl.cu
constexpr int width = 1920, height = 1080, rows = 8;

__global__ void shfl_vertical_shfl(unsigned* image) {
  __shared__ unsigned sums[32][rows + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = tx % rows, column = tx / rows + 4 * ty;
  unsigned above = 0;
  sums[tx][ty] = 0;
  __syncthreads();
  for (int step = 0; step < height / rows; ++step) {
    unsigned* const pixel = &image[(step * rows + ty) * width + blockIdx.x * 32 + tx];
    unsigned sum = *pixel;
    sums[tx][ty] = sum;
    __syncthreads();
    unsigned partial = sums[column][row];
    for (int by = 1; by < rows; by *= 2) {
      const unsigned other = __shfl_up_sync(0xffffffffu, partial, by, rows);
      if (row >= by) partial += other;
    }
    sums[column][row] = partial;
    __syncthreads();
    if (ty > 0) sum += sums[tx][ty - 1];
    *pixel = sum + above;
    above += sums[tx][rows - 1];
    __syncthreads();
  }
}

void launch(unsigned* image) { shfl_vertical_shfl<<<width / 32, dim3(32, rows)>>>(image); }
