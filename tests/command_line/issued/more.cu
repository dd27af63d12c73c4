// SPDX-License-Identifier: MIT
// Kernels for against_sass.py: accesses that a compiler moves, removes or forwards.
#define KERNEL extern "C" __global__ void

KERNEL invariant_global(const float* __restrict__ a, float* o, int n) {
  float acc = 0;
  for (int j = 0; j < n; ++j) acc = acc * acc + a[32 * threadIdx.x];
  o[threadIdx.x] = acc;
}
KERNEL invariant_shared(const float* __restrict__ a, float* o, int n) {
  __shared__ float s[64];
  s[threadIdx.x] = a[threadIdx.x];
  s[threadIdx.x + 32] = a[threadIdx.x + 32];
  __syncthreads();
  float acc = 0;
  for (int j = 0; j < n; ++j) acc = acc * acc + s[2 * threadIdx.x];
  o[threadIdx.x] = acc;
}
KERNEL in_two_loops(const float* a, float* o, int n) {
  __shared__ float s[64];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  float acc = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) acc = acc * acc + s[threadIdx.x ^ 1];
  o[threadIdx.x] = acc;
}
KERNEL beside_a_global_store(const float* a, float* o, int n) {
  __shared__ float s[64];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  for (int j = 0; j < n; ++j) o[32 * j + threadIdx.x] = s[threadIdx.x ^ 1];
}
KERNEL private_rows(unsigned* out, const unsigned* in) {
  __shared__ unsigned s[32 * 32];
  unsigned* mine = &s[32 * threadIdx.x];
#pragma unroll
  for (int i = 0; i < 32; ++i) mine[i] = in[64 * i + threadIdx.x];
#pragma unroll
  for (int i = 0; i < 32; ++i) out[64 * i + threadIdx.x] = mine[31 - i];
}
KERNEL dead_store(float* o) {
  __shared__ float s[64];
  s[threadIdx.x] = 1;
  s[threadIdx.x] = 2;
  __syncthreads();
  o[threadIdx.x] = s[threadIdx.x ^ 1];
}
KERNEL dead_load(float* o) {
  __shared__ float s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  const float unused = s[threadIdx.x ^ 2];
  o[threadIdx.x] = s[threadIdx.x ^ 1] + 0 * static_cast<int>(threadIdx.x);
  (void)unused;
}
KERNEL forwarded(float* o) {
  __shared__ float s[64];
  s[threadIdx.x] = threadIdx.x * 3;
  o[threadIdx.x] = s[threadIdx.x];
  __syncthreads();
  o[threadIdx.x + 32] = s[threadIdx.x ^ 1];
}
KERNEL equal_loads(float* o) {
  __shared__ float s[64];
  s[threadIdx.x] = threadIdx.x * 3;
  __syncthreads();
  o[threadIdx.x] = s[threadIdx.x ^ 1];
  o[threadIdx.x + 32] = s[threadIdx.x ^ 1] * 2;
}
KERNEL several_lines(float* out, const float* in) {
  __shared__ float s[8][64];
  s[threadIdx.x / 8][threadIdx.x % 8] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[3 - threadIdx.x / 8][threadIdx.x % 8];
}
KERNEL two_doubles(double* g) {
  __shared__ double s[64];
  s[threadIdx.x] = g[threadIdx.x];
  s[threadIdx.x + 32] = g[threadIdx.x + 32];
  __syncthreads();
  g[threadIdx.x] = s[2 * threadIdx.x] * s[2 * threadIdx.x + 1];
}
KERNEL packed_halves(unsigned short* o, const unsigned short* in) {
  __shared__ unsigned short s[256];
  const int t = threadIdx.x;
  for (int i = 0; i < 4; ++i) s[4 * t + i] = in[t + 32 * i];
  __syncthreads();
  for (int i = 0; i < 4; ++i) o[t + 32 * i] = s[4 * (31 - t) + i];
}
namespace {
__global__ void unnamed(float* o) {
  __shared__ float s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  o[threadIdx.x] = s[31 - threadIdx.x];
}
}  // namespace
static __global__ void internal(float* o) {
  __shared__ float s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  o[threadIdx.x] = s[31 - threadIdx.x];
}

void launch(float* o, const float* a, double* g, unsigned* u, unsigned short* h) {
  invariant_global<<<1, 32>>>(a, o, 100);
  invariant_shared<<<1, 32>>>(a, o, 100);
  in_two_loops<<<1, 32>>>(a, o, 100);
  beside_a_global_store<<<1, 32>>>(a, o, 100);
  private_rows<<<1, 32>>>(u, u);
  dead_store<<<1, 32>>>(o);
  dead_load<<<1, 32>>>(o);
  forwarded<<<1, 32>>>(o);
  equal_loads<<<1, 32>>>(o);
  several_lines<<<1, 32>>>(o, a);
  two_doubles<<<1, 32>>>(g);
  packed_halves<<<1, 32>>>(h, h);
  unnamed<<<1, 32>>>(o);
  internal<<<1, 32>>>(o);
}
