// SPDX-License-Identifier: MIT
// The guard in a file of kernels: at namespace scope and inside the kernel that it guards.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

constexpr auto block = bm::block_dim{32, 8};
constexpr auto tile = bm::shared_array<float>("tile", 32, 33);
constexpr auto by_row = bm::store(bm::for_loop(j, bm::range(0, 32, 8), tile[ty + j][tx]));
constexpr auto by_column = bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j]));

static_assert(bm::total(bm::nvidia::sm_90, block, by_row).conflicts() == 0);
static_assert(
    bm::expect_conflicts<bm::total(bm::nvidia::sm_90, block, by_column).conflicts(), 0>::value);

__global__ void transpose(float* out, const float* in, int width) {
  static_assert(bm::total(bm::nvidia::sm_90, block, by_row).conflicts() == 0);
  static_assert(
      bm::expect_conflicts<bm::total(bm::nvidia::sm_90, block, by_column).conflicts(), 0>::value);
  static_assert(bm::conflict_free<bm::nvidia::sm_90, block, by_column>);

  __shared__ float t[32][33];
  const unsigned x = threadIdx.x, y = threadIdx.y;
  for (unsigned row = 0; row < 32; row += 8)
    t[y + row][x] = in[(blockIdx.y * 32 + y + row) * width + blockIdx.x * 32 + x];
  __syncthreads();
  for (unsigned row = 0; row < 32; row += 8)
    out[(blockIdx.x * 32 + y + row) * width + blockIdx.y * 32 + x] = t[x][y + row];
}

// Everything described inside the kernel.
__global__ void local_description(float* out) {
  constexpr auto column = bm::shared_array<float>("column", 32, 32)[tx][ty];
  constexpr auto cost = bm::total(bm::nvidia::sm_90, bm::block_dim{32, 8}, column);
  static_assert(cost.conflicts() == 8 * 31 && cost.degree == 32);
  static_assert(!bm::conflict_free<bm::nvidia::sm_90, bm::block_dim{32, 8}, column>);
  constexpr auto filtered = bm::for_loop(
      i, bm::powers(1, 256, 2),
      bm::if_threads(2 * i * tx < 256 && tx != 1, bm::shared_array<float>("a", 512)[2 * i * tx]));
  static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{256}, filtered).requests > 0);
  constexpr auto kernel = bm::kernel(bm::block_dim{32, 8}, bm::store(column), bm::load(column));
  static_assert(bm::total(bm::nvidia::sm_35, kernel).degree == 16);
  out[threadIdx.x] = static_cast<float>(cost.degree);
}

int main() {
  float* memory = nullptr;
  transpose<<<dim3(1, 1), dim3(32, 8)>>>(memory, memory, 32);
  local_description<<<1, 32>>>(memory);
}
