// SPDX-License-Identifier: MIT
// A stencil of radius 4 over a volume, plane by plane. A plane's tile is in shared memory with a
// halo on each side; the values before and behind it are in registers.
// bankmodel examples/cuda/stencil_3D_16x16_order8.cu
constexpr int radius = 4, side = 16;
constexpr int dimx = 4 * side + 2 * radius, dimy = 3 * side + 2 * radius, dimz = 32 + 2 * radius;
constexpr int plane = dimx * dimy;

__constant__ float coefficient[radius + 1];

__global__ void stencil_3D_16x16_order8(float* output, const float* input) {
  __shared__ float s_data[side + 2 * radius][side + 2 * radius];
  const int x = threadIdx.x + radius, y = threadIdx.y + radius;
  int at = (blockIdx.y * side + y) * dimx + blockIdx.x * side + x;
  float column[2 * radius + 1];
  for (int z = 0; z < 2 * radius; ++z) column[z + 1] = input[at + z * plane];
  at += radius * plane;
  for (int z = radius; z < dimz - radius; ++z) {
#pragma unroll
    for (int each = 0; each < 2 * radius; ++each) column[each] = column[each + 1];
    column[2 * radius] = input[at + radius * plane];
    __syncthreads();
    if (threadIdx.y < radius) {
      s_data[y - radius][x] = input[at - radius * dimx];
      s_data[y + side][x] = input[at + side * dimx];
    }
    if (threadIdx.x < radius) {
      s_data[y][x - radius] = input[at - radius];
      s_data[y][x + side] = input[at + side];
    }
    s_data[y][x] = column[radius];
    __syncthreads();
    float sum = coefficient[0] * column[radius];
#pragma unroll
    for (int by = 1; by <= radius; ++by)
      sum += coefficient[by] * (column[radius - by] + column[radius + by] + s_data[y - by][x] +
                                s_data[y + by][x] + s_data[y][x - by] + s_data[y][x + by]);
    output[at] = sum;
    at += plane;
  }
}

void launch(float* output, const float* input) {
  stencil_3D_16x16_order8<<<dim3(4, 3), dim3(side, side)>>>(output, input);
}
