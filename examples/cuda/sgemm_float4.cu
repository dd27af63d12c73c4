// SPDX-License-Identifier: MIT
// Matrix product c = a b: 64 x 64 results a block, 4 x 4 a thread, by loads of 16 bytes. The tile
// of a is transposed as it is stored.
// bankmodel examples/cuda/sgemm_float4.cu
constexpr int n = 256, block_side = 64, depth = 16, threads = 256;

__global__ void sgemm_float4(float* c, const float* a, const float* b) {
  __shared__ __align__(16) float as[depth][block_side];
  __shared__ __align__(16) float bs[depth][block_side];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const int row = blockIdx.y * block_side, column = blockIdx.x * block_side;
  const int a_row = threadIdx.x / 4, a_column = 4 * (threadIdx.x % 4);
  float sum[4][4] = {};
  for (int step = 0; step < n; step += depth) {
    const float4 of_a = *reinterpret_cast<const float4*>(&a[(row + a_row) * n + step + a_column]);
    as[a_column][a_row] = of_a.x;
    as[a_column + 1][a_row] = of_a.y;
    as[a_column + 2][a_row] = of_a.z;
    as[a_column + 3][a_row] = of_a.w;
    *reinterpret_cast<float4*>(&bs[ty][4 * tx]) =
        *reinterpret_cast<const float4*>(&b[(step + ty) * n + column + 4 * tx]);
    __syncthreads();
    for (int k = 0; k < depth; ++k) {
      const float4 left = *reinterpret_cast<const float4*>(&as[k][4 * ty]);
      const float4 right = *reinterpret_cast<const float4*>(&bs[k][4 * tx]);
      const float lefts[4] = {left.x, left.y, left.z, left.w};
      const float rights[4] = {right.x, right.y, right.z, right.w};
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] += lefts[i] * rights[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
    *reinterpret_cast<float4*>(&c[(row + 4 * ty + i) * n + column + 4 * tx]) =
        make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}

void launch(float* c, const float* a, const float* b) {
  sgemm_float4<<<dim3(n / block_side, n / block_side), threads>>>(c, a, b);
}
