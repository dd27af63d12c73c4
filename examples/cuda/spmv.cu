// SPDX-License-Identifier: MIT
// A sparse matrix times a vector, four lanes to a row of at most 16 elements (ELLPACK). Lanes add
// up in shared memory. The places in the vector depend on data.
// bankmodel examples/cuda/spmv.cu
constexpr int lanes = 4, rows = 32, most = 16;

__global__ void spmv(float* y, const float* values, const int* columns, const float* x) {
  __shared__ float sums[rows][lanes];
  const int lane = threadIdx.x, row = blockIdx.x * rows + threadIdx.y;
  float sum = 0;
  for (int at = lane; at < most; at += lanes)
    sum += values[row * most + at] * x[columns[row * most + at]];
  sums[threadIdx.y][lane] = sum;
  __syncthreads();
  if (threadIdx.y == 0)
    for (int each = lane; each < rows; each += lanes)
      y[blockIdx.x * rows + each] = sums[each][0] + sums[each][1] + sums[each][2] + sums[each][3];
}

void launch(float* y, const float* values, const int* columns, const float* x) {
  spmv<<<32, dim3(lanes, rows)>>>(y, values, columns, x);
}
