// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_HARDWARE_GLOBAL_KERNELS_CUH
#define BANKMODEL_TESTS_HARDWARE_GLOBAL_KERNELS_CUH

#include "global_patterns.hpp"
#include "kernels.cuh"

// One kernel for each instruction of global memory: it executes that instruction and no other of
// global memory. The lanes' addresses are therefore in constant memory, and loaded values are
// stored to shared memory.
namespace hardware {

__constant__ unsigned global_offsets[32];  // of the lanes' first bytes

struct global_task {
  char* window;   // global_window bytes
  unsigned mask;  // lanes that execute it
  int loops;      // of `unrolled` each
  unsigned zero;  // as in struct task: is 0, but unknown to the compiler
};

namespace kernels {

#define HARDWARE_GLOBAL_LOAD(name, text, ...)                \
  struct name {                                              \
    static __device__ void issue(registers& r, char* at) {   \
      asm volatile(text : __VA_ARGS__ : "l"(at) : "memory"); \
    }                                                        \
  };
#define HARDWARE_GLOBAL_STORE(name, text, ...)                   \
  struct name {                                                  \
    static __device__ void issue(const registers& r, char* at) { \
      asm volatile(text : : "l"(at), __VA_ARGS__ : "memory");    \
    }                                                            \
  };

HARDWARE_GLOBAL_LOAD(global_load_1, "ld.global.u8 %0, [%1];", "=r"(r.x))
HARDWARE_GLOBAL_LOAD(global_load_2, "ld.global.u16 %0, [%1];", "=r"(r.x))
HARDWARE_GLOBAL_LOAD(global_load_4, "ld.global.u32 %0, [%1];", "=r"(r.x))
HARDWARE_GLOBAL_LOAD(global_load_8, "ld.global.v2.u32 {%0, %1}, [%2];", "=r"(r.x), "=r"(r.y))
HARDWARE_GLOBAL_LOAD(global_load_16, "ld.global.v4.u32 {%0, %1, %2, %3}, [%4];", "=r"(r.x),
                     "=r"(r.y), "=r"(r.z), "=r"(r.w))
HARDWARE_GLOBAL_LOAD(global_load_cg_4, "ld.global.cg.u32 %0, [%1];", "=r"(r.x))
HARDWARE_GLOBAL_LOAD(global_load_cg_16, "ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];", "=r"(r.x),
                     "=r"(r.y), "=r"(r.z), "=r"(r.w))
HARDWARE_GLOBAL_STORE(global_store_1, "st.global.u8 [%0], %1;", "r"(r.x))
HARDWARE_GLOBAL_STORE(global_store_2, "st.global.u16 [%0], %1;", "r"(r.x))
HARDWARE_GLOBAL_STORE(global_store_4, "st.global.u32 [%0], %1;", "r"(r.x))
HARDWARE_GLOBAL_STORE(global_store_8, "st.global.v2.u32 [%0], {%1, %2};", "r"(r.x), "r"(r.y))
HARDWARE_GLOBAL_STORE(global_store_16, "st.global.v4.u32 [%0], {%1, %2, %3, %4};", "r"(r.x),
                      "r"(r.y), "r"(r.z), "r"(r.w))
HARDWARE_GLOBAL_STORE(global_reduction_4, "red.global.add.u32 [%0], %1;", "r"(r.x))

// The result is used, or it would be a reduction.
struct global_atomic_4 {
  static __device__ void issue(registers& r, char* at) {
    asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(r.x) : "l"(at), "r"(r.w) : "memory");
  }
};

}  // namespace kernels

// One warp.
template <class Kernel>
__global__ void issue_global(global_task t) {
  __shared__ unsigned sums[32];
  const unsigned lane = threadIdx.x;
  char* const address = t.window + global_offsets[lane];
  registers r[unrolled];
  for (int at = 0; at < unrolled; ++at) r[at] = {lane, lane + 1, lane + 2, lane + 3};
  unsigned sum = 0;
  if ((t.mask >> lane & 1) != 0) {
#pragma unroll 1
    for (int loop = 0; loop < t.loops; ++loop) {
      const unsigned step = t.zero * static_cast<unsigned>(loop);
#pragma unroll
      for (int at = 0; at < unrolled; ++at)
        Kernel::issue(r[at], address + (step + t.zero * static_cast<unsigned>(at)));
#pragma unroll
      for (int at = 0; at < unrolled; ++at) sum ^= r[at].x ^ r[at].y ^ r[at].z ^ r[at].w;
    }
  }
  static_cast<volatile unsigned*>(sums)[lane] = sum;
}

}  // namespace hardware

#endif
