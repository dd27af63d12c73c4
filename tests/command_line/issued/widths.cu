// SPDX-License-Identifier: MIT
// Accesses of each width, for the cubin reader. widths.cubin is made of it by
//   nvcc -arch=sm_90 -cubin -lineinfo widths.cu (widths_80.cubin: -arch=sm_80)
extern "C" __global__ void widths(const float4* from, float4* to) {
  __shared__ float4 s[256];
  const int t = threadIdx.x;
  s[t] = from[t];
  ((volatile short*)s)[t] = 1;
  ((volatile double*)s)[t] = 2;
  __syncthreads();
  const int word = ((volatile int*)s)[t + 1];
  const double pair = ((volatile double*)s)[t + 1];
  const signed char byte = ((volatile signed char*)s)[t + 1];
  ((volatile char*)to)[t] = byte;
  to[t].x = word + static_cast<float>(pair);
}
