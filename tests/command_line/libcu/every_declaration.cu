// SPDX-License-Identifier: MIT
// Each declaration of libcu++ and thrust that the program has of its own.
#include <cooperative_groups.h>
#include <thrust/functional.h>
#include <thrust/pair.h>
#include <thrust/tuple.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/cmath>
#include <cuda/functional>
#include <cuda/pipeline>
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/barrier>
#include <cuda/std/complex>
#include <cuda/std/cstddef>
#include <cuda/std/cstdint>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

#include <utility>
namespace cg = cooperative_groups;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void barriers(int* out, const int* in) {
  __shared__ alignas(16) int s[64];
  __shared__ block_barrier bar;
  __shared__ cuda::barrier<cuda::thread_scope_device> other;
  static_assert(sizeof(bar) == 8 && sizeof(other) == 8, "");
  const auto block = cg::this_thread_block();
  if (threadIdx.x == 0) {
    init(&bar, block.size());
    init(&other, blockDim.x);
  }
  block.sync();
  cuda::memcpy_async(block, s, in, sizeof(int) * 32, bar);
  cuda::memcpy_async(block, (void*)(s + 32), (const void*)in, cuda::aligned_size_t<4>(128), bar);
  cuda::memcpy_async(s + threadIdx.x, in + threadIdx.x, sizeof(int), bar);
  cuda::memcpy_async(s + threadIdx.x, in + threadIdx.x, cuda::aligned_size_t<4>(4), other);
  block_barrier::arrival_token token = bar.arrive();
  bar.wait(std::move(token));
  auto second = bar.arrive(1);
  bar.wait(cuda::std::move(second));
  bar.wait_parity(false);
  bar.arrive_and_wait();
  other.arrive_and_wait();
  out[threadIdx.x] = s[threadIdx.x] +
                     (int)(*cuda::device::barrier_native_handle(bar) == 0 ? 1 : 0) +
                     (int)block_barrier::max();
  bar.arrive_and_drop();
}
__global__ void pipelines(int* out, const int* in) {
  __shared__ alignas(16) int s[2][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state, more, third;
  static_assert(sizeof(state) == 40, "");
  __shared__ block_barrier bar;
  const auto block = cg::this_thread_block();
  auto own = cuda::make_pipeline();
  auto pipe = cuda::make_pipeline(block, &state);
  auto halves = cuda::make_pipeline(block, &more, 16);
  auto roles = cuda::make_pipeline(
      block, &third,
      threadIdx.x < 16 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  own.producer_acquire();
  cuda::memcpy_async(&s[0][threadIdx.x], &in[threadIdx.x], sizeof(int), own);
  own.producer_commit();
  own.consumer_wait();
  own.consumer_release();
  cuda::pipeline_consumer_wait_prior<1>(own);
  cuda::pipeline_producer_commit(own, bar);
  pipe.producer_acquire();
  cuda::memcpy_async(block, s[1], in, cuda::aligned_size_t<16>(128), pipe);
  cuda::memcpy_async(block, (void*)s[1], (const void*)in, 128, pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  out[threadIdx.x] = s[1][threadIdx.x];
  pipe.consumer_release();
  pipe.quit();
}
__device__ cuda::atomic<int, cuda::thread_scope_device> total{0};
__global__ void atomics(int* out) {
  __shared__ int s[32];
  __shared__ cuda::atomic<int, cuda::thread_scope_block> sum;
  cuda::atomic_ref<int, cuda::thread_scope_block> place(s[threadIdx.x]);
  place.store(1, cuda::memory_order_relaxed);
  place.fetch_add(2);
  place.fetch_max(3, cuda::std::memory_order_relaxed);
  place.fetch_sub(2), place.fetch_min(2), place.fetch_and(1), place.fetch_or(1), place.fetch_xor(1);
  int before = place.exchange(4);
  (void)place.compare_exchange_strong(before, 5);
  (void)place.compare_exchange_weak(before, 5, cuda::memory_order_relaxed);
  sum = 0;
  sum++, ++sum, sum += 2, sum -= 1;
  total.fetch_add(sum.load(cuda::memory_order_acquire));
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_block);
  out[threadIdx.x] = place.load() + sum;
}
__global__ void standard(float* out, cuda::std::uint32_t n) {
  __shared__ cuda::std::tuple<float, double> s[32];
  __shared__ cuda::std::complex<float> c[32];
  __shared__ cuda::std::array<float, 4> a[32];
  __shared__ cuda::std::pair<int, float> p[32];
  static_assert(cuda::std::is_same<cuda::std::remove_const_t<const int>, int>::value, "");
  static_assert(sizeof(s[0]) == 16 && alignof(cuda::std::complex<float>) == 8, "");
  cuda::std::size_t i = threadIdx.x;
  cuda::std::get<0>(s[i]) = 1.0f;
  cuda::std::get<1>(s[i]) = 2.0;
  c[i] = cuda::std::complex<float>(1, 2);
  c[i] = c[i] * c[i] + cuda::std::conj(c[i]);
  a[i][1] = c[i].real() + c[i].imag();
  p[i] = cuda::std::make_pair(1, 2.0f);
  float x = 1, y = cuda::std::numeric_limits<float>::max();
  cuda::std::swap(x, y);
  x = cuda::std::max(x, cuda::std::min(y, 2.0f));
  x = cuda::std::forward<float>(x);
  auto t = cuda::std::make_tuple(x, 2);
  int k;
  cuda::std::tie(x, k) = t;
  auto [first, second] = t;
  thrust::tuple<int, float> u = thrust::make_tuple(k, x);
  thrust::get<0>(u) += second;
  thrust::tie(k, x) = u;
  thrust::pair<int, int> q = thrust::make_pair(k, 1);
  out[i] = x + first + k + q.first + thrust::plus<float>()(x, y) + thrust::maximum<float>()(x, y) +
           thrust::minimum<float>()(x, y) + cuda::ceil_div(n, 32u) + a[i][1] + p[i].second +
           cuda::std::get<0>(s[i]);
}
