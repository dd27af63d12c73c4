// SPDX-License-Identifier: MIT
// A plan's arrays in one buffer, static and dynamic, inside kernels: offsets and layouts come
// from the plan.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>
#include <bankmodel/search/buffer.hpp>

namespace bm = bankmodel;

namespace description {
using namespace bm::index;
constexpr auto rows = bm::shared_array<float>("rows", 32, 32);
constexpr auto sums = bm::shared_array<double>("sums", 64);
constexpr auto kernel = bm::kernel(bm::block_dim{32, 8},
                                   bm::load(bm::for_loop(j, bm::range(0, 32, 8), rows[tx][ty + j])),
                                   bm::store(bm::if_threads(tid < 64, sums[tid])));
constexpr auto plan = bm::optimize(bm::nvidia::sm_90, kernel);
static_assert(plan.after().conflicts() == 0 && plan.arrays() == 2);
static_assert(plan.bytes() == plan.layout(rows).required_size() * 4 + 64 * 8);
}  // namespace description

__global__ void in_static_memory(float* out) {
  __shared__ bm::plan_buffer<description::plan> memory;
  const auto r = memory.view<float, description::rows>();
  const auto s = memory.view<double, description::sums>();
  r(threadIdx.x, threadIdx.y) = 1;
  if (threadIdx.y < 2) s(threadIdx.y * 32 + threadIdx.x) = 2;
  __syncthreads();
  out[threadIdx.x] = r(threadIdx.y, threadIdx.x) + static_cast<float>(s(threadIdx.x));
}

__global__ void in_dynamic_memory(float* out) {
  extern __shared__ unsigned char bytes[];
  const bm::plan_memory<description::plan> memory(bytes);
  const auto r = memory.view<float, description::rows>();
  r(threadIdx.x, threadIdx.y) = 1;
  __syncthreads();
  out[threadIdx.x] = r(threadIdx.y, threadIdx.x);
}

int main() {}
