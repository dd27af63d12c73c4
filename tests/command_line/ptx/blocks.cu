// SPDX-License-Identifier: MIT
// Kernels that work on a whole block: sums, scans, shuffles, histograms, and branches of all kinds.
//   nvcc -arch=sm_90 -lineinfo -ptx blocks.cu
__global__ void sum(float* out, const float* in) {
  extern __shared__ float part[];
  const unsigned x = threadIdx.x;
  part[x] = in[blockIdx.x * blockDim.x + x];
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
    if (x < half) part[x] += part[x + half];
    __syncthreads();
  }
  if (x == 0) out[blockIdx.x] = part[0];
}

// A scan in two sweeps over a tree, whose strides are powers of two.
__global__ void scan(int* data) {
  __shared__ int tree[512];
  const int x = threadIdx.x;
  tree[2 * x] = data[2 * x];
  tree[2 * x + 1] = data[2 * x + 1];
  for (int distance = 1; distance < 512; distance *= 2) {
    __syncthreads();
    if (x < 256 / distance)
      tree[2 * distance * (x + 1) - 1] += tree[2 * distance * (x + 1) - 1 - distance];
  }
  __syncthreads();
  data[2 * x] = tree[2 * x];
}

__global__ void histogram(unsigned* counts, const unsigned char* data) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  const unsigned char bin = data[threadIdx.x];
  bins[bin] += 1;
  __syncthreads();
  counts[threadIdx.x] = bins[threadIdx.x];
}

__global__ void counted(unsigned* counts, const unsigned char* data) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x % 16 * 16], data[threadIdx.x]);
  __syncthreads();
  counts[threadIdx.x] = bins[threadIdx.x];
}

__global__ void rows(float* out, const float* in, int length) {
  __shared__ float row[32];
  float all = 0;
  for (int i = 0; i < length; ++i) {
    row[threadIdx.x] = in[i * 32 + threadIdx.x];
    __syncthreads();
    all += row[(threadIdx.x * 2) % 32];
    __syncthreads();
  }
  out[threadIdx.x] = all;
}

// Each lane has another number of iterations; half of the threads leave early.
__global__ void divergent(float* out) {
  __shared__ float values[64];
  const int x = threadIdx.x;
  values[x] = x;
  __syncthreads();
  if (x >= 48) return;
  float all = 0;
#pragma unroll 1
  for (int i = 0; i < x % 4; ++i) {
    if (x % 2 == 0) {
      if (x % 3 == 0)
        all += values[x + i];
      else
        all -= values[2 * (x % 32)];
    } else {
      all *= values[x];
    }
  }
  out[x] = all;
}

// What the first lanes tell the others is a known number: an address.
__global__ void told(float* out) {
  __shared__ float values[1024];
  const int x = threadIdx.x;
  const int first = __shfl_sync(0xffffffff, x * 3, 0), up = __shfl_up_sync(0xffffffff, x, 1);
  const int down = __shfl_down_sync(0xffffffff, x, 2, 8), other = __shfl_xor_sync(0xffffffff, x, 5);
  const unsigned odd = __ballot_sync(0xffffffff, x % 2);
  values[first + up * 32] = 1;
  values[down * 2] = 2;
  values[other * 4] = 3;
  values[__popc(odd) + x] = 4;
  out[x] = values[x];
}

// A branch on data that decides about no access to shared memory, and one that does.
__global__ void on_data(float* out, const float* in, int which) {
  __shared__ float values[64];
  const int x = threadIdx.x;
  values[x] = in[x];
  __syncthreads();
  float found = values[x ^ 1];
  if (found > 1) found = out[x + 64];
  if (which > 0)
    if (found < 0) found += values[(x * 2) % 64];
  out[x] = found;
}
