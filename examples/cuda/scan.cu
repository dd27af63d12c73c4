// SPDX-License-Identifier: MIT
// Exclusive prefix sums of a block's elements, two a thread, up and down a tree.
// bankmodel examples/cuda/scan.cu
constexpr int threads = 256, elements = 2 * threads;

__global__ void scan(float* out, const float* in) {
  __shared__ float sums[elements];
  const int tx = threadIdx.x, first = blockIdx.x * elements;
  sums[2 * tx] = in[first + 2 * tx];
  sums[2 * tx + 1] = in[first + 2 * tx + 1];
  for (int offset = 1; offset < elements; offset *= 2) {
    __syncthreads();
    if (tx < threads / offset) {
      const int left = offset * (2 * tx + 1) - 1, right = offset * (2 * tx + 2) - 1;
      sums[right] += sums[left];
    }
  }
  if (tx == 0) sums[elements - 1] = 0;
  for (int offset = threads; offset > 0; offset /= 2) {
    __syncthreads();
    if (tx < threads / offset) {
      const int left = offset * (2 * tx + 1) - 1, right = offset * (2 * tx + 2) - 1;
      const float lower = sums[left];
      sums[left] = sums[right];
      sums[right] += lower;
    }
  }
  __syncthreads();
  out[first + 2 * tx] = sums[2 * tx];
  out[first + 2 * tx + 1] = sums[2 * tx + 1];
}

void launch(float* out, const float* in) { scan<<<64, threads>>>(out, in); }
