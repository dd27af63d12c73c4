// SPDX-License-Identifier: MIT
// Matrix product c = a b by tiles in shared memory.
// bankmodel examples/cuda/matmul.cu
constexpr int side = 16, n = 256;

__global__ void matmul(float* c, const float* a, const float* b) {
  __shared__ float as[side][side];
  __shared__ float bs[side][side];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * side + ty, column = blockIdx.x * side + tx;
  float sum = 0;
  for (int step = 0; step < n; step += side) {
    as[ty][tx] = a[row * n + step + tx];
    bs[ty][tx] = b[(step + ty) * n + column];
    __syncthreads();
    for (int k = 0; k < side; ++k) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

void launch(float* c, const float* a, const float* b) {
  matmul<<<dim3(n / side, n / side), dim3(side, side)>>>(c, a, b);
}
