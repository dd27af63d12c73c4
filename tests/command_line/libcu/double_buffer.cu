// SPDX-License-Identifier: MIT
// Copies that go on by themselves: with barriers, with a pipeline of the block, and of a thread.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
__global__ void with_barrier(float* out, const float* in, int tiles) {
  __shared__ float s[2][256];
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ barrier bar[2];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) {
    init(&bar[0], block.size());
    init(&bar[1], block.size());
  }
  block.sync();
  cuda::memcpy_async(block, s[0], in, sizeof(float) * 256, bar[0]);
  for (int i = 1; i < tiles; ++i) {
    cuda::memcpy_async(block, s[i % 2], in + i * 256, sizeof(float) * 256, bar[i % 2]);
    bar[(i - 1) % 2].arrive_and_wait();
    out[threadIdx.x] += s[(i - 1) % 2][threadIdx.x * 2 % 256];
    barrier::arrival_token t = bar[(i - 1) % 2].arrive();
    bar[(i - 1) % 2].wait(std::move(t));
  }
}
__global__ void with_pipeline(float* out, const float* in, int tiles) {
  __shared__ float s[2][256];
  auto block = cg::this_thread_block();
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto pipe = cuda::make_pipeline(block, &state);
  pipe.producer_acquire();
  cuda::memcpy_async(block, s[0], in, cuda::aligned_size_t<16>(sizeof(float) * 256), pipe);
  pipe.producer_commit();
  for (int i = 1; i < tiles; ++i) {
    pipe.producer_acquire();
    cuda::memcpy_async(block, s[i % 2], in + i * 256, cuda::aligned_size_t<16>(sizeof(float) * 256),
                       pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    out[threadIdx.x] += s[(i - 1) % 2][threadIdx.x * 2 % 256];
    pipe.consumer_release();
  }
}
__global__ void own_thread(float* out, const float* in, int tiles) {
  __shared__ float s[2][256];
  auto pipe = cuda::make_pipeline();
  for (int i = 0; i < tiles; ++i) {
    pipe.producer_acquire();
    cuda::memcpy_async(&s[i % 2][threadIdx.x], in + i * 256 + threadIdx.x, sizeof(float), pipe);
    pipe.producer_commit();
    cuda::pipeline_consumer_wait_prior<1>(pipe);
    __syncthreads();
    out[threadIdx.x] += s[i % 2][threadIdx.x * 2 % 256];
    pipe.consumer_release();
  }
}
__global__ void bulk(float4* out, const float4* in, int tiles) {
  __shared__ float4 s[256];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(block, s, in, cuda::aligned_size_t<16>(sizeof(s)), bar);
  bar.arrive_and_wait();
  out[threadIdx.x] = s[threadIdx.x];
}
