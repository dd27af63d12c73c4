// SPDX-License-Identifier: MIT
// The plan of plan.cpp inside a kernel: sizes, offsets and index functions of the arrays come from
// it.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>
#include <bankmodel/search/buffer.hpp>
#include <bankmodel/tile.hpp>

namespace bm = bankmodel;

namespace description {
using namespace bm::index;  // in a namespace of its own: a kernel has its own i and tx

constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
constexpr auto partial = bm::shared_array<float>("partial", 512);
constexpr auto kernel = bm::kernel(
    bm::block_dim{32, 8}, bm::store(bm::for_loop(j, bm::range(0, 32, 8), tile[ty + j][tx])),
    bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j])), bm::store(partial[2 * tid]),
    bm::load(bm::for_loop(k, bm::powers(1, 256, 2),
                          bm::if_threads(tid < 256 / k, partial[2 * k * tid]))));
constexpr auto plan = bm::optimize(bm::nvidia::sm_90, kernel);
}  // namespace description

using description::partial;
using description::plan;
using description::tile;

__global__ void planned(float* out, const float* in) {
  const unsigned tid = threadIdx.y * 32 + threadIdx.x;
  __shared__ bm::tile<float, plan.layout(tile)> t;  // float t[32][33], no additional instruction
  t(threadIdx.y, threadIdx.x) = in[tid];
  __shared__ bm::plan_buffer<plan> memory;       // or all arrays of the plan, each at its offset
  const auto p = memory.view<float, partial>();  // p(c) is stored at c + c / 32
  p(2 * tid) = in[tid];
  __syncthreads();
  out[tid] = t(threadIdx.y, 31 - threadIdx.x) + p(2 * (255 - tid));
}

int main() {}
