// SPDX-License-Identifier: MIT
// An index function written once: the kernel calls it with numbers, the description with tx and
// ty.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

// The column of an XOR swizzle.
struct swizzled_column {
  template <class Row, class Column>
  __host__ __device__ constexpr auto operator()(Row row, Column column) const {
    return column ^ (row % 32);
  }
};

// As a function template, with min and max, for numbers and for subscripts.
template <class X>
__host__ __device__ constexpr auto clamped(X x) {
  using bm::max;
  using bm::min;
  return max(min(x, 30), 1);
}

constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
constexpr swizzled_column column_of;
static_assert(
    bm::conflict_free<bm::nvidia::sm_90, bm::block_dim{32, 8}, tile[tx][column_of(tx, ty)]>);
static_assert(column_of(3, 5) == 6);
static_assert(clamped(40) == 30 && clamped(0) == 1);
constexpr auto halo = bm::shared_array<float>("halo", 32);
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32}, halo[clamped(tx)]).conflicts() == 0);

__global__ void transpose(float* out, const float* in) {
  constexpr swizzled_column column;
  static_assert(
      bm::total(bm::nvidia::sm_90, bm::block_dim{32, 8}, tile[tx][column(tx, ty)]).conflicts() ==
      0);
  static_assert(
      bm::total(bm::nvidia::sm_90, bm::block_dim{32, 8}, tile[ty][column(ty, tx)]).conflicts() ==
      0);

  __shared__ float t[32][32];
  t[threadIdx.y][column(threadIdx.y, threadIdx.x)] = in[32 * threadIdx.y + threadIdx.x];
  __syncthreads();
  out[32 * threadIdx.y + threadIdx.x] = t[threadIdx.x][column(threadIdx.x, threadIdx.y)];
}

__global__ void stencil(float* out) {
  __shared__ float t[32];
  t[threadIdx.x] = static_cast<float>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = t[clamped(static_cast<int>(threadIdx.x))];
}

int main() {
  float* memory = nullptr;
  transpose<<<1, dim3(32, 32)>>>(memory, memory);
  stencil<<<1, 32>>>(memory);
}
