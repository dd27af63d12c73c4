// SPDX-License-Identifier: MIT
// CUDA kernels on the CPU, for files that are included after this one: a .cu file is C++ once
// `kernel<<<grid, block>>>(..)` is written as `cuda_on_cpu::launch(kernel, grid, block)(..)`. One
// block of a launch is run, each thread for itself; each access to shared and to global memory is
// recorded with its width, and the accesses of a warp's lanes are joined into requests. Nothing
// here is of the library or of the command line.
//
// The including file is compiled with -O0 -fsanitize=thread, so that the compiler calls a function
// of ours (cuda_on_cpu.cpp) before each access of the source; no library of sanitizers is linked.
#ifndef BANKMODEL_TESTS_CUDA_ON_CPU_HPP
#define BANKMODEL_TESTS_CUDA_ON_CPU_HPP

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

#include "warp_requests.hpp"

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned all_x = 1, unsigned all_y = 1, unsigned all_z = 1)
      : x(all_x), y(all_y), z(all_z) {}
};
inline dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace cuda_on_cpu {

// The block of later launches that is run.
inline dim3 block_to_run;

// Memory that counts as global, aligned to 256 bytes, filled with 0.
void* allocate(std::size_t bytes);

// Returns the requests of the launches since the last call, and takes all memory back.
requests finished_requests();

// Runs the block `block_to_run`; `pointers` are those of the kernel's arguments, nullptr for
// others. Throws std::runtime_error if threads wait for one another forever.
void run(const dim3& grid, const dim3& block, const std::vector<const void*>& pointers,
         const std::function<void()>& thread);

template <class... Parameters>
auto launch(void (*kernel)(Parameters...), const dim3& grid, const dim3& block) {
  return [=](Parameters... arguments) {
    const auto pointer = [](const auto& argument) -> const void* {
      if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(argument)>>) return argument;
      return nullptr;
    };
    run(grid, block, {pointer(arguments)...}, [=] { kernel(arguments...); });
  };
}

// The current thread makes this access; `site` is its place in the program.
void access(kind operation, const void* address, int bytes, const void* site);
// The current thread waits for its block, or for the lanes of its warp in `lanes`.
void wait_for_block();
void wait_for_lanes(unsigned lanes);
// Returns `value` of each lane of the current thread's warp.
std::array<std::uint64_t, 32> exchanged(unsigned lanes, std::uint64_t value);
int lane();

template <class T>
T from_lane(unsigned lanes, T value, int other) {
  static_assert(sizeof(T) <= 8);
  std::uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  bits = exchanged(lanes, bits)[static_cast<std::size_t>(other)];
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

}  // namespace cuda_on_cpu

#define CUDA_ON_CPU_UNSEEN __attribute__((no_sanitize("thread"), noinline))

// Vectors are loaded and stored as a whole.
#define CUDA_ON_CPU_ACCESS(what, object)                                 \
  cuda_on_cpu::access(cuda_on_cpu::kind::what, object, sizeof *(object), \
                      __builtin_return_address(0))
struct alignas(8) float2 {
  float x, y;
  float2() = default;
  CUDA_ON_CPU_UNSEEN float2(float of_x, float of_y) : x(of_x), y(of_y) {}
  CUDA_ON_CPU_UNSEEN float2(const float2& source) : x(source.x), y(source.y) {
    CUDA_ON_CPU_ACCESS(load, &source);
  }
  CUDA_ON_CPU_UNSEEN float2& operator=(const float2& source) {
    CUDA_ON_CPU_ACCESS(load, &source);
    CUDA_ON_CPU_ACCESS(store, this);
    x = source.x, y = source.y;
    return *this;
  }
};
struct alignas(16) float4 {
  float x, y, z, w;
  float4() = default;
  CUDA_ON_CPU_UNSEEN float4(float of_x, float of_y, float of_z, float of_w)
      : x(of_x), y(of_y), z(of_z), w(of_w) {}
  CUDA_ON_CPU_UNSEEN float4(const float4& source)
      : x(source.x), y(source.y), z(source.z), w(source.w) {
    CUDA_ON_CPU_ACCESS(load, &source);
  }
  CUDA_ON_CPU_UNSEEN float4& operator=(const float4& source) {
    CUDA_ON_CPU_ACCESS(load, &source);
    CUDA_ON_CPU_ACCESS(store, this);
    x = source.x, y = source.y, z = source.z, w = source.w;
    return *this;
  }
};
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

inline void __syncthreads() { cuda_on_cpu::wait_for_block(); }
inline void __syncwarp(unsigned lanes = ~0u) { cuda_on_cpu::wait_for_lanes(lanes); }
template <class T>
T __shfl_up_sync(unsigned lanes, T value, int distance, int width = 32) {
  const int lane = cuda_on_cpu::lane();
  return cuda_on_cpu::from_lane(lanes, value, lane % width >= distance ? lane - distance : lane);
}
template <class T>
T __shfl_xor_sync(unsigned lanes, T value, int mask) {
  return cuda_on_cpu::from_lane(lanes, value, cuda_on_cpu::lane() ^ mask);
}
inline unsigned __ballot_sync(unsigned lanes, bool vote) {
  const std::array<std::uint64_t, 32> votes = cuda_on_cpu::exchanged(lanes, vote);
  unsigned result = 0;
  for (std::size_t lane = 0; lane < 32; ++lane)
    if ((lanes >> lane & 1) != 0 && votes[lane] != 0) result |= 1u << lane;
  return result;
}
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
CUDA_ON_CPU_UNSEEN inline int atomicAdd(int* target, int value) {
  CUDA_ON_CPU_ACCESS(atomic, target);
  const int previous = *target;
  *target += value;
  return previous;
}
inline float rsqrtf(float value) { return 1 / std::sqrt(value); }
// By value, as in CUDA: std::max takes references, and loads through them again.
inline int max(int a, int b) { return a < b ? b : a; }

#define __global__
#define __device__
#define __constant__ static
#define __align__(bytes) __attribute__((aligned(bytes)))
// All arrays in shared memory are in one section, whose bounds the linker gives.
#define __shared__ static __attribute__((section("cuda_shared")))

#endif
