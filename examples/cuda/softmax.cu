// SPDX-License-Identifier: MIT
// The softmax of a row of 1024 numbers for each block: the maximum and the sum by shuffles, and by
// a number for each warp in shared memory.
// bankmodel examples/cuda/softmax.cu
constexpr int threads = 256, warps = threads / 32, columns = 1024;

__device__ float maximum_of_block(float value, float* of_warps) {
  const int lane = threadIdx.x % 32;
  for (int by = 16; by > 0; by /= 2) value = fmaxf(value, __shfl_xor_sync(~0u, value, by));
  if (lane == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  value = of_warps[lane % warps];
  for (int by = warps / 2; by > 0; by /= 2) value = fmaxf(value, __shfl_xor_sync(~0u, value, by));
  return value;
}

__device__ float sum_of_block(float value, float* of_warps) {
  const int lane = threadIdx.x % 32;
  for (int by = 16; by > 0; by /= 2) value += __shfl_xor_sync(~0u, value, by);
  if (lane == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  value = of_warps[lane % warps];
  for (int by = warps / 2; by > 0; by /= 2) value += __shfl_xor_sync(~0u, value, by);
  return value;
}

__global__ void softmax(float* out, const float* in) {
  __shared__ float maxima[warps];
  __shared__ float sums[warps];
  const int first = blockIdx.x * columns;
  float largest = in[first + threadIdx.x];
  for (int column = threadIdx.x + threads; column < columns; column += threads)
    largest = fmaxf(largest, in[first + column]);
  largest = maximum_of_block(largest, maxima);
  float sum = 0;
  for (int column = threadIdx.x; column < columns; column += threads)
    sum += expf(in[first + column] - largest);
  sum = sum_of_block(sum, sums);
  for (int column = threadIdx.x; column < columns; column += threads)
    out[first + column] = expf(in[first + column] - largest) / sum;
}

void launch(float* out, const float* in) { softmax<<<64, threads>>>(out, in); }
