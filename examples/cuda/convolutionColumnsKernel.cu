// SPDX-License-Identifier: MIT
// Separable convolution with a radius of 8: along columns. The tile is transposed, and has a column
// more than it needs.
// bankmodel examples/cuda/convolutionColumnsKernel.cu
constexpr int radius = 8, results = 8, columns = 16, rows = 8;
constexpr int width = 3072, height = 3072, pitch = width;

__constant__ float c_Kernel[2 * radius + 1];

__global__ void convolutionColumnsKernel(float* d_Dst, const float* d_Src) {
  __shared__ float s_Data[columns][(results + 2) * rows + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * columns + tx, y = (blockIdx.y * results - 1) * rows + ty;
  for (int i = 1; i <= results; ++i) s_Data[tx][ty + i * rows] = d_Src[(y + i * rows) * pitch + x];
  const int behind = (results + 1) * rows;
  s_Data[tx][ty] = y >= 0 ? d_Src[y * pitch + x] : 0;
  s_Data[tx][ty + behind] = height - y > behind ? d_Src[(y + behind) * pitch + x] : 0;
  __syncthreads();
  for (int i = 1; i <= results; ++i) {
    float sum = 0;
    for (int j = -radius; j <= radius; ++j)
      sum += c_Kernel[radius - j] * s_Data[tx][ty + i * rows + j];
    d_Dst[(y + i * rows) * pitch + x] = sum;
  }
}

void launch(float* d_Dst, const float* d_Src) {
  convolutionColumnsKernel<<<dim3(width / columns, height / (results * rows)),
                             dim3(columns, rows)>>>(d_Dst, d_Src);
}
