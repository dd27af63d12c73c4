// SPDX-License-Identifier: MIT
// Transposes a batch of matrices through a tile whose columns are exchanged by XOR with the row, so
// that rows and columns are without conflicts and no byte is wasted.
// bankmodel examples/cuda/batched_transpose.cu
constexpr int side = 32, rows = 8, n = 128, matrices = 4;

__global__ void batched_transpose(float* out, const float* in) {
  __shared__ float tile[side][side];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int first = blockIdx.z * n * n, row = blockIdx.y * side, column = blockIdx.x * side;
  for (int y = ty; y < side; y += rows) tile[y][tx ^ y] = in[first + (row + y) * n + column + tx];
  __syncthreads();
  for (int y = ty; y < side; y += rows) out[first + (column + y) * n + row + tx] = tile[tx][y ^ tx];
}

void launch(float* out, const float* in) {
  batched_transpose<<<dim3(n / side, n / side, matrices), dim3(side, rows)>>>(out, in);
}
