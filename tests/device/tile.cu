// SPDX-License-Identifier: MIT
// Tiles in every kind of storage of a kernel: one to four dimensions, several element types, wide
// accesses, dynamic shared memory, parts of buffers, members, arguments of functions and kernels, a
// layout as the argument of a __global__ template; permuted tiles.
#include <bankmodel/core/constant.hpp>
#include <bankmodel/layout/instruction_count.hpp>
#include <bankmodel/tile.hpp>

namespace bm = bankmodel;

constexpr bm::layout padded = bm::row_major(32, 32).padded(1);
constexpr bm::layout wide = bm::row_major(32, 32).padded(4);

__global__ void ranks(float* out) {
  __shared__ bm::tile<float, bm::row_major(64)> line;
  __shared__ bm::tile<double, bm::row_major(8, 8)> square;
  __shared__ bm::tile<short, bm::row_major(2, 8, 8).padded(2)> planes;
  __shared__ bm::tile<unsigned char, bm::row_major(2, 2, 8, 8).padded(1, 0)> blocks;
  __shared__ bm::tile<float, bm::row_major(64).padded_every(24, 1)> intervals;
  const unsigned x = threadIdx.x, y = threadIdx.y;
  line(x) = 1;
  square(y, x) = 2;
  planes(1, y, x) = 3;
  blocks(1ull, short{1}, y, x) = 4;
  intervals(x) = 5;
  __syncthreads();
  out[x] = line(x) + static_cast<float>(square(x, y)) +
           static_cast<float>(planes(1, x, y) + blocks(1, 1, x, y)) + intervals(x);
}

// The queries of a kernel in constant expressions.
__global__ void facts(int* out) {
  using tile = bm::tile<float, padded>;
  static_assert(tile::size_bytes == 32 * 33 * 4 && sizeof(tile) == 32 * 33 * 4 &&
                alignof(tile) == 16);
  static_assert(tile::layout == padded && tile::layout.padding() == 1 && tile::layout(1, 0) == 33);
  static_assert(bm::element<padded>(1, 0) == 33);
  static_assert(bm::vector_of<int, 2>{{3, 4}}[1] == 4);
  out[0] = tile::size_bytes + static_cast<int>(tile::layout.extent.dimension_0);
  out[bm::element<padded>(threadIdx.y, threadIdx.x)] = 1;
}

__global__ void wide_accesses(float4* out, const float4* in) {
  __shared__ bm::tile<float, wide> t;
  t.as<float4>(threadIdx.y, 4 * threadIdx.x) = in[threadIdx.x];
  __syncthreads();
  const auto& constant = t;
  const auto four = constant.vector<4>(threadIdx.x, 4 * threadIdx.y);
  const float2 two = constant.as<float2>(threadIdx.x, 2 * threadIdx.y);
  const float3 three = t.as<float3>(threadIdx.x, threadIdx.y);
  t.vector<2>(0, 0)[1] = two.x;
  out[threadIdx.x] = {four[0], two.y, three.z, t.data()[5]};
}

// Two tiles in dynamic shared memory, declared as bytes.
__global__ void dynamic(float* out, const float4* in) {
  extern __shared__ __align__(16) unsigned char memory[];
  using view = bm::tile_view<float, wide>;
  const auto a = view::at<0>(memory);
  const auto b = view::at<view::size_bytes>(memory);
  a.as<float4>(threadIdx.y, 4 * threadIdx.x) = in[threadIdx.x];
  b.vector<4>(threadIdx.y, 4 * threadIdx.x) = a.vector<4>(threadIdx.x, 4 * threadIdx.y);
  __syncthreads();
  const bm::tile_view<const float, wide> readable(b.data());
  out[threadIdx.x] = readable(threadIdx.x, threadIdx.y) + readable.as<float2>(threadIdx.y, 0).x +
                     readable.vector<4>(0, 4)[3];
}

// A layer of Kepler's banks in 4-byte mode is 256 bytes; two tiles in one structure.
__global__ void members(float* out) {
  struct buffers {
    bm::tile<float, padded> stage[2];
    int filled;
  };
  __shared__ alignas(256) buffers b;
  b.stage[threadIdx.y % 2](threadIdx.x, 0) = 1;
  b.filled = 1;
  __syncthreads();
  out[threadIdx.x] = b.stage[0](0, threadIdx.x);
}

// A view as a kernel's argument, and both as a function's.
template <class Tile>
__device__ float trace(const Tile& t) {
  float sum = 0;
  for (int i = 0; i < 32; ++i) sum += t(i, i);
  return sum;
}

__global__ void arguments(bm::tile_view<float, padded> view) {
  __shared__ bm::tile<float, padded> t;
  t(threadIdx.y, threadIdx.x) = view(threadIdx.y, threadIdx.x);
  __syncthreads();
  view(threadIdx.y, threadIdx.x) =
      trace(t) + trace(view) + trace(bm::tile_view<float, padded>(t.data()));
}

// The layout as a tag: tile<float, Layout::value> inside.
template <class Layout>
__global__ void transpose(float* out, const float* in, Layout) {
  __shared__ bm::tile<float, Layout::value> t;
  t(threadIdx.y, threadIdx.x) = in[32 * threadIdx.y + threadIdx.x];
  __syncthreads();
  out[32 * threadIdx.y + threadIdx.x] = t(threadIdx.x, threadIdx.y);
}

// Each family, in static shared memory, and its queries in constant expressions.
constexpr bm::layout swizzled = bm::row_major(32, 32).permuted(bm::xor_swizzle(5, 0, 5));
constexpr bm::layout across_rows = bm::row_major(32, 24).permuted(bm::xor_swizzle(3, 0, 5));
constexpr bm::layout rotated = bm::row_major(32, 33).permuted(bm::rotation(1));
constexpr bm::layout triangles = bm::row_major(2, 16, 16).permuted(bm::triangular());
constexpr bm::layout transformed = bm::row_major(32, 32).permuted(bm::modular({3, 1, 0, 1}));
constexpr bm::layout in_a_box = bm::row_major(28, 52).permuted(bm::modular_in_a_box({2, 1, 0, 1}));
constexpr bm::layout reversed = bm::row_major(4, 4).permuted(bm::linear([] {
  bm::bit_matrix of;
  for (int bit = 0; bit < 4; ++bit) of.set(bit, 1u << (3 - bit));
  return of;
}()));

__global__ void permuted(float* out) {
  __shared__ bm::tile<float, swizzled> a;
  __shared__ bm::tile<float, across_rows> b;
  __shared__ bm::tile<float, rotated> c;
  __shared__ bm::tile<float, triangles> d;
  __shared__ bm::tile<float, transformed> e;
  __shared__ bm::tile<float, in_a_box> f;
  __shared__ bm::tile<float, reversed> g;
  static_assert(sizeof(a) == 32 * 32 * 4 && sizeof(c) == 32 * 33 * 4 &&
                bm::tile<float, in_a_box>::size_bytes == 1534 * 4);
  static_assert(bm::element<swizzled>(3, 5) == 32 * 3 + (5 ^ 3) &&
                bm::element<across_rows>(31, 0) == (744 ^ 744 >> 5 & 7));
  static_assert(bm::element<rotated>(1, 32) == 33 &&
                bm::element<triangles>(1, 0, 2) == 256 + (16 + 3) % 16);
  static_assert(bm::element<transformed>(1, 1) == 32 + 4 && bm::element<in_a_box>(1, 0) == 53 &&
                bm::element<reversed>(0, 1) == 8);
  static_assert(bm::index_instructions(swizzled) == 1 && bm::index_instructions(rotated) == 3);
  static_assert(rotated(1, 32) == 33 && rotated.coordinates(33).dimension_1 == 32);
  const int x = threadIdx.x, y = threadIdx.y;
  a(y, x) = b(y, x) = c(y, x) = d(1, y, x) = e(y, x) = f(y, x) = g(y % 4, x % 4) = 1;
  __syncthreads();
  out[x] = a(x, y) + b(x, y) + c(x, y) + d(1, x, y) + e(x, y) + f(x, y) + g(x % 4, y % 4);
}

// Permuted groups keep wide accesses whole; the copy engine's swizzle; a view of dynamic shared
// memory.
constexpr bm::layout groups = bm::row_major(32, 48).permuted(bm::rotation(1).in_groups_of(4));
constexpr bm::layout copied =
    bm::row_major(32, 32).permuted(bm::copy_engine_swizzle(128, sizeof(float)));

__global__ void permuted_groups(float4* out, const float4* in) {
  __shared__ bm::tile<float, groups> a;
  extern __shared__ __align__(16) unsigned char memory[];
  const auto b = bm::tile_view<float, copied>::at<0>(memory);
  a.as<float4>(threadIdx.y, 4 * threadIdx.x) = in[threadIdx.x];
  b.vector<4>(threadIdx.y, 4 * threadIdx.x) = a.vector<4>(threadIdx.x, 4 * threadIdx.y);
  __syncthreads();
  out[threadIdx.x] = b.as<float4>(threadIdx.x, 4 * threadIdx.y);
}

int main() {
  float* memory = nullptr;
  ranks<<<1, dim3(8, 8)>>>(memory);
  facts<<<1, dim3(8, 8)>>>(nullptr);
  wide_accesses<<<1, dim3(8, 8)>>>(nullptr, nullptr);
  dynamic<<<1, dim3(8, 8), 2 * bm::tile_view<float, wide>::size_bytes>>>(memory, nullptr);
  members<<<1, dim3(32, 2)>>>(memory);
  arguments<<<1, dim3(32, 8)>>>(bm::tile_view<float, padded>(memory));
  transpose<<<1, dim3(32, 32)>>>(memory, memory, bm::constant<padded>{});
  transpose<<<1, dim3(32, 32)>>>(memory, memory, bm::constant<swizzled>{});
  permuted<<<1, dim3(16, 16)>>>(memory);
  permuted_groups<<<1, dim3(8, 8), bm::tile_view<float, copied>::size_bytes>>>(nullptr, nullptr);
}
