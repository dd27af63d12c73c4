// SPDX-License-Identifier: MIT
// Separable convolution with a radius of 8: along rows.
// bankmodel examples/cuda/convolutionRowsKernel.cu
constexpr int radius = 8, results = 8, columns = 16, rows = 4;
constexpr int width = 3072, height = 3072, pitch = width;

__constant__ float c_Kernel[2 * radius + 1];

__global__ void convolutionRowsKernel(float* d_Dst, const float* d_Src) {
  __shared__ float s_Data[rows][(results + 2) * columns];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = (blockIdx.x * results - 1) * columns + tx, y = blockIdx.y * rows + ty;
  for (int i = 1; i <= results; ++i)
    s_Data[ty][tx + i * columns] = d_Src[y * pitch + x + i * columns];
  const int behind = (results + 1) * columns;
  s_Data[ty][tx] = x >= 0 ? d_Src[y * pitch + x] : 0;
  s_Data[ty][tx + behind] = width - x > behind ? d_Src[y * pitch + x + behind] : 0;
  __syncthreads();
  for (int i = 1; i <= results; ++i) {
    float sum = 0;
    for (int j = -radius; j <= radius; ++j)
      sum += c_Kernel[radius - j] * s_Data[ty][tx + i * columns + j];
    d_Dst[y * pitch + x + i * columns] = sum;
  }
}

void launch(float* d_Dst, const float* d_Src) {
  convolutionRowsKernel<<<dim3(width / (results * columns), height / rows), dim3(columns, rows)>>>(
      d_Dst, d_Src);
}
