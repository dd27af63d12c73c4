// SPDX-License-Identifier: MIT
// Gravity between all bodies, a tile of them at a time in shared memory. All lanes read the same
// body.
// bankmodel examples/cuda/nbody.cu
constexpr int threads = 128, bodies = 512;

__global__ void nbody(float4* accelerations, const float4* positions) {
  __shared__ float4 tile[threads];
  const int self = blockIdx.x * threads + threadIdx.x;
  const float4 here = positions[self];
  float ax = 0, ay = 0, az = 0;
  for (int first = 0; first < bodies; first += threads) {
    tile[threadIdx.x] = positions[first + threadIdx.x];
    __syncthreads();
    for (int other = 0; other < threads; ++other) {
      const float4 there = tile[other];
      const float dx = there.x - here.x, dy = there.y - here.y, dz = there.z - here.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-4f);
      const float pull = there.w * inverse * inverse * inverse;
      ax += pull * dx;
      ay += pull * dy;
      az += pull * dz;
    }
    __syncthreads();
  }
  accelerations[self] = make_float4(ax, ay, az, 0);
}

void launch(float4* accelerations, const float4* positions) {
  nbody<<<bodies / threads, threads>>>(accelerations, positions);
}
