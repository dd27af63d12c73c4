// SPDX-License-Identifier: MIT
// Sorts a block's elements, two a thread. Both elements of a pair are stored whether they change
// places or not, so that no branch depends on data.
// bankmodel examples/cuda/bitonic_sort.cu
constexpr int threads = 256, elements = 2 * threads;

__global__ void bitonic_sort(float* data) {
  __shared__ float sorted[elements];
  const int tx = threadIdx.x, first = blockIdx.x * elements;
  sorted[tx] = data[first + tx];
  sorted[tx + threads] = data[first + tx + threads];
  for (int size = 2; size <= elements; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const int at = 2 * tx - (tx & (stride - 1));
      const bool is_rising = size == elements || (tx & (size / 2)) == 0;
      const float a = sorted[at], b = sorted[at + stride];
      sorted[at] = is_rising ? fminf(a, b) : fmaxf(a, b);
      sorted[at + stride] = is_rising ? fmaxf(a, b) : fminf(a, b);
    }
  __syncthreads();
  data[first + tx] = sorted[tx];
  data[first + tx + threads] = sorted[tx + threads];
}

void launch(float* data) { bitonic_sort<<<16, threads>>>(data); }
