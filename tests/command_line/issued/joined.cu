// SPDX-License-Identifier: MIT
// Experiments with what nvcc joins: each kernel is one, and tests/command_line/issued.cpp has the
// widths that nvcc 13.0 gives them for sm_90. joined.ptx is made of it by
//   nvcc -arch=sm_90 -ptx -lineinfo joined.cu
#define KERNEL extern "C" __global__ void

#define BEGIN(type, count)   \
  __shared__ type s[count];  \
  const int t = threadIdx.x; \
  s[t] = g[t];               \
  __syncthreads();

KERNEL four_words(float* g) {
  BEGIN(float, 1024)
  g[t] = s[4 * t] + s[4 * t + 1] * s[4 * t + 2] / s[4 * t + 3];
}
KERNEL three_words(float* g) {
  BEGIN(float, 1024)
  g[t] = s[4 * t + 1] + s[4 * t + 2] * s[4 * t + 3];
}
KERNEL with_a_gap(float* g) {
  BEGIN(float, 1024)
  g[t] = s[4 * t] + s[4 * t + 1] * s[4 * t + 3];
}
KERNEL two_words(float* g) {
  BEGIN(float, 1024)
  g[t] = s[4 * t + 2] * s[4 * t + 3];
}
KERNEL inner_words(float* g) {
  BEGIN(float, 1024)
  g[t] = s[4 * t + 1] * s[4 * t + 2];
}
KERNEL outer_words(float* g) {
  BEGIN(float, 1024)
  g[t] = s[4 * t] * s[4 * t + 3];
}
KERNEL odd_stride(float* g) {
  BEGIN(float, 1024)
  g[t] = s[3 * t] * s[3 * t + 1];
}
KERNEL rows_of_18(float* g) {
  BEGIN(float, 1024)
  float sum = 0;
  for (int k = 0; k < 16; ++k) sum += s[18 * t + k] * sum;
  g[t] = sum;
}
KERNEL stride_of_argument(float* g, int n) {
  BEGIN(float, 4096)
  g[t] = s[t * n] + s[t * n + 1] * s[t * n + 2] - s[t * n + 3];
}
KERNEL masked_argument(float* g, int n) {
  BEGIN(float, 4096)
  const int at = t * n & ~3;
  g[t] = s[at] + s[at + 1] * s[at + 2] - s[at + 3];
}
KERNEL doubles(double* g) {
  BEGIN(double, 1024)
  g[t] = s[2 * t] * s[2 * t + 1];
}
KERNEL halves(unsigned short* g) {
  BEGIN(unsigned short, 1024)
  g[t] = s[4 * t] * s[4 * t + 1] + s[4 * t + 2] * s[4 * t + 3];
}
KERNEL pair_and_word(float* g) {
  BEGIN(float, 1024)
  const float2 pair = *(const float2*)(s + 4 * t);
  g[t] = pair.x * pair.y + s[4 * t + 2];
}
KERNEL stays_volatile(float* g) {
  BEGIN(volatile float, 1024)
  g[t] = s[4 * t] + s[4 * t + 1] * s[4 * t + 2] - s[4 * t + 3];
}
KERNEL four_stores(float* g) {
  __shared__ float s[1024];
  const int t = threadIdx.x;
  const float a = g[t], b = g[t + 1], c = g[t + 2], d = g[t + 3];
  s[4 * t] = a;
  s[4 * t + 1] = b;
  s[4 * t + 2] = c;
  s[4 * t + 3] = d;
  __syncthreads();
  g[t] = s[t ^ 1];
}
KERNEL three_stores(float* g) {
  __shared__ float s[1024];
  const int t = threadIdx.x;
  const float a = g[t], b = g[t + 1], c = g[t + 2];
  s[4 * t] = a;
  s[4 * t + 1] = b;
  s[4 * t + 2] = c;
  __syncthreads();
  g[t] = s[t ^ 1];
}
KERNEL store_to_another_array(float* g) {
  BEGIN(float, 1024)
  __shared__ float u[1024];
  const float a = s[4 * t];
  u[t] = a;
  g[t] = s[4 * t + 1] * a;
  __syncthreads();
  g[t + 1] = u[t ^ 1];
}
KERNEL stores_to_two_arrays(float* g) {
  __shared__ float s[1024], u[1024];
  const int t = threadIdx.x;
  const float a = g[t], b = g[t + 1];
  s[4 * t] = a;
  u[t] = b;
  s[4 * t + 1] = b;
  __syncthreads();
  g[t] = s[t ^ 1] * u[t ^ 1];
}
KERNEL global_store_between(float* g) {
  BEGIN(float, 1024)
  const float a = s[4 * t];
  g[t] = a * 2;
  g[t + 7] = a * s[4 * t + 1];
}
KERNEL shuffle_between(float* g) {
  BEGIN(float, 1024)
  float a = s[4 * t];
  a += __shfl_xor_sync(~0u, a, 1);
  g[t] = a * s[4 * t + 1];
}
KERNEL syncwarp_between(float* g) {
  BEGIN(float, 1024)
  const float a = s[4 * t];
  __syncwarp();
  g[t] = a * s[4 * t + 1];
}
KERNEL fence_between(float* g) {
  BEGIN(float, 1024)
  const float a = s[4 * t];
  __threadfence_block();
  g[t] = a * s[4 * t + 1];
}
KERNEL behind_36_bytes(float* g) {
  __shared__ char c[36];
  __shared__ float s[1024];
  const int t = threadIdx.x;
  c[t] = static_cast<char>(t);
  s[t] = g[t];
  __syncthreads();
  g[t] = s[4 * t] + s[4 * t + 1] * s[4 * t + 2] - s[4 * t + 3] + c[t ^ 1];
}
KERNEL broadcast(float* g) {
  __shared__ float s[16][16];
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  s[y][x] = g[x];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 16; ++k) sum += s[y][k] * s[k][x];
  g[threadIdx.x] = sum;
}
KERNEL global_words(float* g, const float* from) {
  const int t = threadIdx.x;
  g[t] = from[4 * t] + from[4 * t + 1] * from[4 * t + 2] - from[4 * t + 3];
}
KERNEL global_members(float4* g, float f) {
  const int t = threadIdx.x;
  g[t].x = f;
  g[t].y = f + 1;
  g[t].z = f * 2;
  g[t].w = f * f;
}
KERNEL load_between_stores(float* g) {
  __shared__ float s[1024], u[1024];
  const int t = threadIdx.x;
  u[t] = g[t];
  __syncthreads();
  s[4 * t] = g[t + 1];
  const float a = u[4 * t + 2];
  s[4 * t + 1] = g[t + 2];
  __syncthreads();
  g[t] = s[t ^ 1] + a;
}
KERNEL loop_of_argument(float* g, int n) {
  __shared__ float s[64][64];
  const int t = threadIdx.x;
  s[t][t] = g[t];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += s[t][k];
  g[t] = sum;
}
