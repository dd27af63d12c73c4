// SPDX-License-Identifier: MIT
// Pairs of kernels, .._tile with a tile and .._by_hand with an array written by hand.
// tile_instructions.sh compares nvcc's code for them. A 64-bit index would show in
// `dynamic`, `buffer` and, with a division, in `scan` (nvcc itself narrows the index of a
// `__shared__` array); a sum of products instead of nested subscripts would show in `stencil`
// and `planes`.
#include <bankmodel/tile.hpp>

namespace bm = bankmodel;

constexpr bm::layout padded = bm::row_major(32, 32).padded(1);

// The transpose of the contract, its layout written down instead of optimized.
extern "C" __global__ void transpose_tile(float* out, const float* in, int width) {
  __shared__ bm::tile<float, padded> t;
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int row = 0; row < 32; row += 8)
    t(threadIdx.y + row, threadIdx.x) = in[(y + row) * width + x];
  __syncthreads();
  const int u = blockIdx.y * 32 + threadIdx.x, v = blockIdx.x * 32 + threadIdx.y;
  for (int row = 0; row < 32; row += 8)
    out[(v + row) * width + u] = t(threadIdx.x, threadIdx.y + row);
}

extern "C" __global__ void transpose_by_hand(float* out, const float* in, int width) {
  __shared__ float t[32][33];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int row = 0; row < 32; row += 8)
    t[threadIdx.y + row][threadIdx.x] = in[(y + row) * width + x];
  __syncthreads();
  const int u = blockIdx.y * 32 + threadIdx.x, v = blockIdx.x * 32 + threadIdx.y;
  for (int row = 0; row < 32; row += 8)
    out[(v + row) * width + u] = t[threadIdx.x][threadIdx.y + row];
}

// A loop with a trip count unknown to nvcc.
extern "C" __global__ void product_tile(float* out, const float* in, int n) {
  __shared__ bm::tile<float, padded> t;
  const int x = threadIdx.x, y = threadIdx.y;
  for (int k = y; k < n; k += 8) t(k, x) = in[k * 32 + x];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += t(y, k) * t(k, x);
  out[y * 32 + x] = sum;
}

extern "C" __global__ void product_by_hand(float* out, const float* in, int n) {
  __shared__ float t[32][33];
  const int x = threadIdx.x, y = threadIdx.y;
  for (int k = y; k < n; k += 8) t[k][x] = in[k * 32 + x];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += t[y][k] * t[k][x];
  out[y * 32 + x] = sum;
}

// Three dimensions. Loads of one step that the next one needs again stay in registers.
extern "C" __global__ void stencil_tile(float* out, const float* in, int n) {
  __shared__ bm::tile<float, bm::row_major(4, 16, 16).padded(1)> t;
  const int x = threadIdx.x, y = threadIdx.y;
  for (int z = 0; z < 4; ++z) t(z, y, x) = in[z * 256 + y * 16 + x];
  __syncthreads();
  for (int z = 1; z < n; ++z)
    out[z * 16 + x] =
        t(z - 1, y, x) + t(z + 1, y, x) + t(z, y - 1, x) + t(z, y + 1, x) + t(z, y, x + 1);
}

extern "C" __global__ void stencil_by_hand(float* out, const float* in, int n) {
  __shared__ float t[4][16][17];
  const int x = threadIdx.x, y = threadIdx.y;
  for (int z = 0; z < 4; ++z) t[z][y][x] = in[z * 256 + y * 16 + x];
  __syncthreads();
  for (int z = 1; z < n; ++z)
    out[z * 16 + x] =
        t[z - 1][y][x] + t[z + 1][y][x] + t[z][y - 1][x] + t[z][y + 1][x] + t[z][y][x + 1];
}

// Planes of 16 * 17 + 3 elements, which C's arrays cannot express: by hand a structure.
extern "C" __global__ void planes_tile(float* out, const float* in, int n) {
  __shared__ bm::tile<float, bm::row_major(4, 16, 16).padded(1).padded(3, 0)> t;
  const int x = threadIdx.x, y = threadIdx.y;
  for (int z = 0; z < 4; ++z) t(z, y, x) = in[z * 256 + y * 16 + x];
  __syncthreads();
  for (int z = 1; z < n; ++z) out[z * 16 + x] = t(z - 1, y, x) + t(z + 1, y, x) + t(z, x, y);
}

extern "C" __global__ void planes_by_hand(float* out, const float* in, int n) {
  struct plane {
    float rows[16][17], unused[3];
  };
  __shared__ plane t[4];
  const int x = threadIdx.x, y = threadIdx.y;
  for (int z = 0; z < 4; ++z) t[z].rows[y][x] = in[z * 256 + y * 16 + x];
  __syncthreads();
  for (int z = 1; z < n; ++z)
    out[z * 16 + x] = t[z - 1].rows[y][x] + t[z + 1].rows[y][x] + t[z].rows[x][y];
}

// The upsweep of a scan, padded by one element after every 32.
extern "C" __global__ void scan_tile(float* data, int n) {
  __shared__ bm::tile<float, bm::row_major(1024).padded_every(32, 1)> t;
  const int x = threadIdx.x;
  t(2 * x) = data[2 * x];
  t(2 * x + 1) = data[2 * x + 1];
  int offset = 1;
  for (int d = n / 2; d > 0; d /= 2, offset *= 2) {
    __syncthreads();
    if (x < d) t(offset * (2 * x + 2) - 1) += t(offset * (2 * x + 1) - 1);
  }
  __syncthreads();
  data[x] = t(x);
}

extern "C" __global__ void scan_by_hand(float* data, int n) {
  __shared__ float t[1024 + 31];
  const auto at = [](int element) { return element + (element >> 5); };
  const int x = threadIdx.x;
  t[at(2 * x)] = data[2 * x];
  t[at(2 * x + 1)] = data[2 * x + 1];
  int offset = 1;
  for (int d = n / 2; d > 0; d /= 2, offset *= 2) {
    __syncthreads();
    if (x < d) t[at(offset * (2 * x + 2) - 1)] += t[at(offset * (2 * x + 1) - 1)];
  }
  __syncthreads();
  data[x] = t[at(x)];
}

// Wide accesses, one instruction each.
extern "C" __global__ void wide_tile(float4* out, const float4* in, int n) {
  __shared__ bm::tile<float, bm::row_major(32, 32).padded(4)> t;
  for (int row = 0; row < n; ++row) t.as<float4>(row, 4 * threadIdx.x) = in[row * 8 + threadIdx.x];
  __syncthreads();
  for (int column = 0; column < n; ++column) {
    const auto four = t.vector<4>(threadIdx.x, 4 * column);
    out[column * 32 + threadIdx.x] = {four[0], four[1], four[2], four[3]};
  }
}

extern "C" __global__ void wide_by_hand(float4* out, const float4* in, int n) {
  __shared__ __align__(16) float t[32][36];
  for (int row = 0; row < n; ++row)
    reinterpret_cast<float4&>(t[row][4 * threadIdx.x]) = in[row * 8 + threadIdx.x];
  __syncthreads();
  for (int column = 0; column < n; ++column)
    out[column * 32 + threadIdx.x] = reinterpret_cast<float4&>(t[threadIdx.x][4 * column]);
}

// Dynamic shared memory, and a buffer unknown to nvcc.
extern "C" __global__ void dynamic_tile(float* out, int n) {
  extern __shared__ float4 memory[];
  const auto t = bm::tile_view<float, padded>::at<512>(memory);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += t(k, threadIdx.x) * t(threadIdx.y, k);
  out[threadIdx.x] = sum;
}

extern "C" __global__ void dynamic_by_hand(float* out, int n) {
  extern __shared__ float4 memory[];
  const float* t = reinterpret_cast<const float*>(memory) + 128;
  const int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += t[k * 33 + x] * t[y * 33 + k];
  out[threadIdx.x] = sum;
}

extern "C" __global__ void buffer_tile(float* out, const float* buffer, int n) {
  const bm::tile_view<const float, padded> t(buffer);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += t(k, threadIdx.x) * t(threadIdx.y, k);
  out[threadIdx.x] = sum;
}

extern "C" __global__ void buffer_by_hand(float* out, const float* buffer, int n) {
  const int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += buffer[k * 33 + x] * buffer[y * 33 + k];
  out[threadIdx.x] = sum;
}

int main() {}
