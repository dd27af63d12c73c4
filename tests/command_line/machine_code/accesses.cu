// Each kind and width of instruction that accesses shared or global memory. Machine code of it, by
// nvcc 13.0, and its text, by nvdisasm 13.5; the same for sm_80 and sm_120:
//   nvcc -std=c++17 -cubin -lineinfo -arch=sm_90 accesses.cu -o accesses_90.cubin
//   nvdisasm -g -c accesses_90.cubin > accesses_90.sass
#include <cuda_fp16.h>

__global__ void copies(float* out, const float* in, unsigned* words, int n) {
  __shared__ __align__(128) float s[1024];
  __shared__ unsigned char bytes[256];
  __shared__ short halves[128];
  const unsigned t = threadIdx.x, at = static_cast<unsigned>(__cvta_generic_to_shared(&s[t * 4]));
  bytes[t] = static_cast<unsigned char>(t);
  halves[t] = static_cast<short>(bytes[t ^ 1]);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(in + t) : "memory");
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(at), "l"(in + 2 * t) : "memory");
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(in + 4 * t) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  unsigned a, b, c, d;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(at));
  words[t] = a + b + c + d;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(a), "=r"(b)
               : "r"(at));
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(c) : "r"(at));
#if __CUDA_ARCH__ >= 900
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%1,%2,%2};" ::"r"(at), "r"(a),
               "r"(b));
  asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(at), "r"(c));
#endif
  words[t + 32] = a + b + c;
  __syncthreads();
  float sum = halves[t ^ 3];
#pragma unroll 1
  for (int i = 0; i < n; ++i) sum += s[(t + i) & 1023];
  reinterpret_cast<float4*>(out)[t] = float4{sum, s[t], s[t + 1], s[t + 2]};
}

__global__ void atomics(float* f, double* d, unsigned* u, unsigned long long* l, long long* ll,
                        __half2* h2, float4* f4, unsigned* generic) {
  __shared__ unsigned s[256];
  __shared__ unsigned long long sl[64];
  const unsigned t = threadIdx.x;
  s[t] = t;
  sl[t] = t;
  __syncthreads();
  atomicAnd(&s[t], 3u);
  atomicMin(reinterpret_cast<int*>(&s[t]), 3);
  atomicExch(&sl[t + 3], 4ull);
  u[t + 1] = atomicCAS(&s[t], 1u, 2u);
  l[t + 1] = atomicCAS(&sl[t], 1ull, 2ull);
  atomicAdd(&u[t], 1u);
  u[t + 2] = atomicAdd(&u[t + 9], 1u);
  l[t + 2] = atomicMax(&l[2], 5ull);
  atomicMin(&ll[t], 3ll);
  ll[t + 2] = atomicMax(&ll[t + 1], 5ll);
  u[t + 3] = atomicCAS(&u[t + 4], 1u, 2u);
  l[t + 3] = atomicExch(&l[t + 5], 3ull);
  atomicAdd(&f[t], 1.0f);
  f[t + 1] = atomicAdd(&f[t + 9], 1.0f);
  atomicAdd(&d[t], 1.0);
  d[t + 1] = atomicAdd(&d[t + 3], 2.0);
  atomicAdd(&h2[t], h2[t + 1]);
  unsigned* const any = t < 5 ? &s[t] : generic;
  atomicAdd(any, 3u);
  u[t + 4] = atomicCAS(any + 2, 1u, 2u) + *(any + 4);
  *(any + 5) = 3;
#if __CUDA_ARCH__ >= 900
  atomicAdd(reinterpret_cast<float2*>(&f4[t + 3]), float2{1, 2});
  atomicAdd(&f4[t], float4{1, 2, 3, 4});
  asm volatile("red.global.add.noftz.v4.f16x2 [%0], {%1,%1,%1,%1};" ::"l"(h2), "r"(t));
  asm volatile("red.global.add.noftz.v2.f16x2 [%0], {%1,%1};" ::"l"(h2 + 8), "r"(t));
  asm volatile("red.global.add.noftz.v4.bf16x2 [%0], {%1,%1,%1,%1};" ::"l"(h2 + 16), "r"(t));
#endif
}
