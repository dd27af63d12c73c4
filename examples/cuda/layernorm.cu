// SPDX-License-Identifier: MIT
// LayerNorm of rows of 256 floats: a row for each warp, which keeps it in shared memory.
// bankmodel examples/cuda/layernorm.cu
constexpr int rows = 4, vectors = 64;

__device__ float sum_of_warp(float value) {
  for (int by = 16; by > 0; by /= 2) value += __shfl_xor_sync(~0u, value, by);
  return value;
}

__global__ void layernorm(float4* out, const float4* in, const float4* scale, const float4* shift) {
  __shared__ float4 kept[rows][vectors];
  float4* const mine = kept[threadIdx.y];
  const int first = (blockIdx.x * rows + threadIdx.y) * vectors;
  float sum = 0;
  for (int at = threadIdx.x; at < vectors; at += 32) {
    const float4 x = in[first + at];
    mine[at] = x;
    sum += x.x + x.y + x.z + x.w;
  }
  const float mean = sum_of_warp(sum) / (4 * vectors);
  float squares = 0;
  for (int at = threadIdx.x; at < vectors; at += 32) {
    const float4 x = mine[at];
    const float4 d = make_float4(x.x - mean, x.y - mean, x.z - mean, x.w - mean);
    squares += d.x * d.x + d.y * d.y + d.z * d.z + d.w * d.w;
  }
  const float by = rsqrtf(sum_of_warp(squares) / (4 * vectors) + 1e-5f);
  for (int at = threadIdx.x; at < vectors; at += 32) {
    const float4 x = mine[at], a = scale[at], b = shift[at];
    out[first + at] = make_float4((x.x - mean) * by * a.x + b.x, (x.y - mean) * by * a.y + b.y,
                                  (x.z - mean) * by * a.z + b.z, (x.w - mean) * by * a.w + b.w);
  }
}

void launch(float4* out, const float4* in, const float4* scale, const float4* shift) {
  layernorm<<<32, dim3(32, rows)>>>(out, in, scale, shift);
}
