// SPDX-License-Identifier: MIT
// The sum of a block's elements, by pairs that are first near and then far apart. The stride of the
// pairs makes conflicts.
// bankmodel examples/cuda/reduce.cu
constexpr int threads = 256;

__global__ void reduce(float* sums, const float* in) {
  __shared__ float partial[threads];
  const int tx = threadIdx.x;
  partial[tx] = in[blockIdx.x * threads + tx];
  __syncthreads();
  for (int stride = 1; stride < threads; stride *= 2) {
    const int at = 2 * stride * tx;
    if (at < threads) partial[at] += partial[at + stride];
    __syncthreads();
  }
  if (tx == 0) sums[blockIdx.x] = partial[0];
}

void launch(float* sums, const float* in) { reduce<<<64, threads>>>(sums, in); }
