// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_HARDWARE_KERNELS_CUH
#define BANKMODEL_TESTS_HARDWARE_KERNELS_CUH

#include "instructions.hpp"

// One kernel for each instruction: it executes that instruction of shared memory and no other.
namespace hardware {

constexpr int unrolled = 16;  // of the instruction in a row; each has registers of its own

struct task {
  const unsigned* addresses;  // of 32 lanes, from the start of the block's shared memory
  unsigned mask;              // lanes that execute it; ldmatrix and stmatrix take all
  int loops;                  // of `unrolled` each; with 0 nothing of shared memory is executed
  // is 0, but unknown to the compiler: it is added so that it cannot see that two addresses are
  // equal
  unsigned zero;
  const char* source;  // `window` bytes that cp.async copies: by default 16 of each lane
  unsigned* sink;      // receives loaded values, so that they are loaded
  long long* clocks;   // of each warp: its start and its end
};

// The data of one lane: up to 16 bytes.
struct registers {
  unsigned x, y, z, w;
};

// Inline PTX, volatile, so that each is executed as often as it is written. kernels.cpp counts the
// instructions that ptxas generates for them.
namespace kernels {

#define HARDWARE_LOAD(name, text, ...)                                     \
  struct name {                                                            \
    static constexpr bool loads = true, all_lanes = false;                 \
    static constexpr unsigned in_order = 0;                                \
    static __device__ void issue(registers& r, unsigned at, const char*) { \
      asm volatile(text : __VA_ARGS__ : "r"(at) : "memory");               \
    }                                                                      \
  };
#define HARDWARE_STORE(name, text, ...)                                    \
  struct name {                                                            \
    static constexpr bool loads = false, all_lanes = false;                \
    static constexpr unsigned in_order = 0;                                \
    static __device__ void issue(registers& r, unsigned at, const char*) { \
      asm volatile(text : : "r"(at), __VA_ARGS__ : "memory");              \
    }                                                                      \
  };

HARDWARE_LOAD(load_1, "ld.volatile.shared.u8 %0, [%1];", "=r"(r.x))
HARDWARE_LOAD(load_2, "ld.volatile.shared.u16 %0, [%1];", "=r"(r.x))
HARDWARE_LOAD(load_4, "ld.volatile.shared.u32 %0, [%1];", "=r"(r.x))
HARDWARE_LOAD(load_8, "ld.volatile.shared.v2.u32 {%0, %1}, [%2];", "=r"(r.x), "=r"(r.y))
HARDWARE_LOAD(load_16, "ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];", "=r"(r.x), "=r"(r.y),
              "=r"(r.z), "=r"(r.w))
HARDWARE_STORE(store_1, "st.volatile.shared.u8 [%0], %1;", "r"(r.x))
HARDWARE_STORE(store_2, "st.volatile.shared.u16 [%0], %1;", "r"(r.x))
HARDWARE_STORE(store_4, "st.volatile.shared.u32 [%0], %1;", "r"(r.x))
HARDWARE_STORE(store_8, "st.volatile.shared.v2.u32 [%0], {%1, %2};", "r"(r.x), "r"(r.y))
HARDWARE_STORE(store_16, "st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};", "r"(r.x), "r"(r.y),
               "r"(r.z), "r"(r.w))

// The operand differs between lanes, or the compiler would add the operands first; and the result
// is used, or it would be another instruction.
struct atomic_4 {
  static constexpr bool loads = true, all_lanes = false;
  static constexpr unsigned in_order = 0;
  static __device__ void issue(registers& r, unsigned at, const char*) {
    asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(r.x) : "r"(at), "r"(r.w) : "memory");
  }
};

// Instructions that a device lacks are not compiled for it and never launched on it.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 750
#define HARDWARE_SINCE_75(...)
#else
#define HARDWARE_SINCE_75(...) __VA_ARGS__
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define HARDWARE_SINCE_80(...)
#else
#define HARDWARE_SINCE_80(...) __VA_ARGS__
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define HARDWARE_SINCE_90(...)
#else
#define HARDWARE_SINCE_90(...) __VA_ARGS__
#endif

#define HARDWARE_MATRIX(name, its_loads, since, text, ...)                                    \
  struct name {                                                                               \
    static constexpr bool loads = its_loads, all_lanes = true;                                \
    static constexpr unsigned in_order = 0;                                                   \
    static __device__ void issue([[maybe_unused]] registers& r, [[maybe_unused]] unsigned at, \
                                 const char*) {                                               \
      since(asm volatile(text:__VA_ARGS__ : "memory");)                                       \
    }                                                                                         \
  };
HARDWARE_MATRIX(load_matrix_1, true, HARDWARE_SINCE_75,
                "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];", "=r"(r.x) : "r"(at))
HARDWARE_MATRIX(load_matrix_2, true, HARDWARE_SINCE_75,
                "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];", "=r"(r.x),
                "=r"(r.y) : "r"(at))
HARDWARE_MATRIX(load_matrix_4, true, HARDWARE_SINCE_75,
                "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];", "=r"(r.x),
                "=r"(r.y), "=r"(r.z), "=r"(r.w) : "r"(at))
HARDWARE_MATRIX(store_matrix_1, false, HARDWARE_SINCE_90,
                "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};", : "r"(at), "r"(r.x))
HARDWARE_MATRIX(store_matrix_2, false, HARDWARE_SINCE_90,
                "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};", : "r"(at), "r"(r.x),
                "r"(r.y))
HARDWARE_MATRIX(store_matrix_4, false, HARDWARE_SINCE_90,
                "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};", : "r"(at),
                "r"(r.x), "r"(r.y), "r"(r.z), "r"(r.w))

// `its_bytes`: of a copy whose lanes write to places in order, from the pattern's; 0 of others.
#define HARDWARE_COPY(name, its_bytes, text)                                   \
  struct name {                                                                \
    static constexpr bool loads = false, all_lanes = false;                    \
    static constexpr unsigned in_order = its_bytes;                            \
    static __device__ void issue(registers&, [[maybe_unused]] unsigned at,     \
                                 [[maybe_unused]] const char* from) {          \
      HARDWARE_SINCE_80(asm volatile(text : : "r"(at), "l"(from) : "memory");) \
    }                                                                          \
  };
HARDWARE_COPY(copy_4, 0, "cp.async.ca.shared.global [%0], [%1], 4;")
HARDWARE_COPY(copy_8, 0, "cp.async.ca.shared.global [%0], [%1], 8;")
HARDWARE_COPY(copy_16, 0, "cp.async.ca.shared.global [%0], [%1], 16;")
HARDWARE_COPY(copy_16_bypass, 0, "cp.async.cg.shared.global [%0], [%1], 16;")
HARDWARE_COPY(copy_4_from, 4, "cp.async.ca.shared.global [%0], [%1], 4;")
HARDWARE_COPY(copy_8_from, 8, "cp.async.ca.shared.global [%0], [%1], 8;")
HARDWARE_COPY(copy_16_from, 16, "cp.async.ca.shared.global [%0], [%1], 16;")
HARDWARE_COPY(copy_16_bypass_from, 16, "cp.async.cg.shared.global [%0], [%1], 16;")

}  // namespace kernels

// All warps of the block do the same. Nothing initializes shared memory: the loaded values do not
// matter.
template <class Kernel>
__global__ void issue(task t) {
  extern __shared__ __align__(1024) unsigned char shared[];
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(shared)),
                 lane = threadIdx.x % 32;
  constexpr bool is_in_order = Kernel::in_order != 0;
  const unsigned address = base + (is_in_order ? Kernel::in_order * lane : t.addresses[lane]);
  const char* from = t.source + (is_in_order ? t.addresses[lane] : 16 * lane);
  unsigned sum = 0;
  registers r[unrolled];
  for (int at = 0; at < unrolled; ++at) r[at] = {lane, lane + 1, lane + 2, lane + 3};
  const bool executes = Kernel::all_lanes || (t.mask >> lane & 1) != 0;

  __syncthreads();
  const long long begin = clock64();
  if (executes) {
#pragma unroll 1
    for (int loop = 0; loop < t.loops; ++loop) {
      const unsigned step = t.zero * static_cast<unsigned>(loop);
#pragma unroll
      for (int at = 0; at < unrolled; ++at)
        Kernel::issue(r[at], address + step + t.zero * static_cast<unsigned>(at), from);
      // Within the loop, so that its end waits for the loaded values.
      if constexpr (Kernel::loads) {
#pragma unroll
        for (int at = 0; at < unrolled; ++at) sum ^= r[at].x ^ r[at].y ^ r[at].z ^ r[at].w;
      }
    }
  }
  __syncwarp();
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" : : : "memory");
#endif
  const long long end = clock64();

  if (base % 256 != 0) __trap();  // then its banks would not be those of the addresses
  t.sink[threadIdx.x] = sum;
  if (lane == 0) {
    t.clocks[threadIdx.x / 32 * 2] = begin;
    t.clocks[threadIdx.x / 32 * 2 + 1] = end;
  }
}

}  // namespace hardware

#endif
