// SPDX-License-Identifier: MIT
// Fourier transforms of 512 complex numbers, one a block: nine stages of radix 2 that sort their
// results as they go (Stockham).
// bankmodel examples/cuda/fft.cu
constexpr int threads = 256, elements = 2 * threads;

__global__ void fft(float2* data) {
  __shared__ float2 values[elements];
  const int tx = threadIdx.x, first = blockIdx.x * elements;
  values[tx] = data[first + tx];
  values[tx + threads] = data[first + tx + threads];
  for (int stride = 1; stride < elements; stride *= 2) {
    __syncthreads();
    const int among = tx & (stride - 1);
    const float angle = -3.14159265f * static_cast<float>(among) / static_cast<float>(stride);
    const float c = cosf(angle), s = sinf(angle);
    const float2 a = values[tx], b = values[tx + threads];
    const float2 turned = make_float2(c * b.x - s * b.y, c * b.y + s * b.x);
    __syncthreads();
    values[2 * tx - among] = make_float2(a.x + turned.x, a.y + turned.y);
    values[2 * tx - among + stride] = make_float2(a.x - turned.x, a.y - turned.y);
  }
  __syncthreads();
  data[first + tx] = values[tx];
  data[first + tx + threads] = values[tx + threads];
}

void launch(float2* data) { fft<<<16, threads>>>(data); }
