// SPDX-License-Identifier: MIT
// Stream compaction: positive numbers keep their order within a block and follow one another. A
// ballot numbers them in a warp, a scan of one number for each warp in a block. Their places in
// global memory depend on data.
// bankmodel examples/cuda/compact.cu
constexpr int threads = 256, warps = threads / 32;

__global__ void compact(float* kept, int* count, const float* in) {
  __shared__ int before[warps + 1];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const float value = in[blockIdx.x * threads + threadIdx.x];
  const unsigned positive = __ballot_sync(~0u, value > 0);
  const int rank = __popc(positive & ((1u << lane) - 1));
  if (lane == 0) before[warp] = __popc(positive);
  __syncthreads();
  if (warp == 0) {
    const int own = before[lane % warps];
    int sum = own;
    for (int by = 1; by < warps; by *= 2) {
      const int other = __shfl_up_sync(~0u, sum, by, warps);
      if (lane % warps >= by) sum += other;
    }
    if (lane < warps) before[lane] = sum - own;
    if (lane == warps - 1) before[warps] = atomicAdd(count, sum);
  }
  __syncthreads();
  const int at = before[warps] + before[warp] + rank;
  if (value > 0) kept[at] = value;
}

void launch(float* kept, int* count, const float* in) { compact<<<64, threads>>>(kept, count, in); }
