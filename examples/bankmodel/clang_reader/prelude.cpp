// SPDX-License-Identifier: MIT
#include "prelude.hpp"

#include "../common_names.hpp"

namespace compiled {

// Functions named __bankmodel_.. have no body: known_calls.cpp gives them their meaning. Other
// functions without a body (__expf, clock, ..) return values that only a run knows.
// In several strings, because compilers limit the length of one.
namespace {

// Positions of texts that others follow.
constexpr std::size_t vectors = 1, arithmetic = 3;

const char* const prelude_texts[] = {
    // Attributes, indexes, barriers.
    R"prelude(
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#ifdef __HIP__
#define __managed__ __attribute__((managed))
#else
#define __managed__
#endif
#undef __forceinline__
#define __forceinline__ inline __attribute__((always_inline))
// Everything is inlined; and libstdc++ writes __attribute__((__noinline__)).
#undef __noinline__
#define __noinline__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__
// Only a compiler calls such a function, so nvcc lets any code name it, though it says __host__.
#if __cplusplus >= 202002L
#define consteval __attribute__((host)) __attribute__((device)) consteval
#endif
#define __restrict __restrict__
#define __cluster_dims__(...) __attribute__((annotate("bankmodel cluster", __VA_ARGS__)))
#define CUDART_CB
// Headers of samples look for these guards of the toolkit's headers.
#define __DRIVER_TYPES_H__
#define __CUDA_RUNTIME_H__
#define CUDARTAPI
#define CUDART_VERSION 12000
#define CUDA_VERSION 12000
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#define CUDART_INF_F __builtin_inff()
#define CUDART_NAN_F __builtin_nanf("")
#define CUDART_PI_F 3.141592654f
#define CUDART_INF __builtin_inf()
#define __BANKMODEL_D static __attribute__((device)) inline __attribute__((always_inline))
#define __BANKMODEL_HD \
  static __attribute__((host)) __attribute__((device)) inline __attribute__((always_inline))
#define __BANKMODEL_O extern "C" __attribute__((device)) __attribute__((nothrow))
#define __BANKMODEL_C __BANKMODEL_O __attribute__((const))
#define __BANKMODEL_M \
  extern "C" __attribute__((host)) __attribute__((device)) __attribute__((const))

// Clang 14 crashes while it looks for the targets of std::pair's assignments where they have
// constraints; without concepts libstdc++ writes them without.
#if __cplusplus >= 202002L && __clang_major__ < 19 && __has_include(<bits/stl_pair.h>)
#include <compare>
#include <concepts>
#pragma push_macro("__cpp_lib_concepts")
#undef __cpp_lib_concepts
#include <bits/stl_pair.h>
#pragma pop_macro("__cpp_lib_concepts")
#endif

// Functions of C may be called by device functions; those of C++ that are constexpr may be, too.
#pragma push_macro("_GLIBCXX_INCLUDE_NEXT_C_HEADERS")
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#pragma clang force_cuda_host_device begin
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <limits.h>
#include <float.h>
#include <math.h>
#include <time.h>
#include <assert.h>
#pragma clang force_cuda_host_device end
#pragma pop_macro("_GLIBCXX_INCLUDE_NEXT_C_HEADERS")
#if __has_include(<cmath>)
#pragma clang force_cuda_host_device begin
#include <cmath>
#include <cstdlib>
// isnan(x), abs(x) and others are functions of C++ without std:: too, as nvcc has them: these
// headers of C++ bring them, which were read as headers of C above.
#include <math.h>
#include <stdlib.h>
#pragma clang force_cuda_host_device end
#endif

// nvcc takes alignas(..) behind __shared__, where C++ and Clang have no place for it.
template <class T> constexpr __attribute__((host)) __attribute__((device)) size_t
__bankmodel_alignment() { return alignof(T); }
template <size_t N> constexpr __attribute__((host)) __attribute__((device)) size_t
__bankmodel_alignment() { return N; }
#define alignas(...) __attribute__((aligned(__bankmodel_alignment<__VA_ARGS__>())))

struct uint3;
struct dim3;
#ifdef __HIP__
#define __BANKMODEL_INDEX(name, x_, y_, z_)                                   \
  __BANKMODEL_C unsigned __bankmodel_special_##x_();                          \
  __BANKMODEL_C unsigned __bankmodel_special_##y_();                          \
  __BANKMODEL_C unsigned __bankmodel_special_##z_();                          \
  struct __bankmodel_##name {                                                 \
    __declspec(property(get = get_x)) unsigned x;                             \
    __declspec(property(get = get_y)) unsigned y;                             \
    __declspec(property(get = get_z)) unsigned z;                             \
    __BANKMODEL_D unsigned get_x() { return __bankmodel_special_##x_(); }     \
    __BANKMODEL_D unsigned get_y() { return __bankmodel_special_##y_(); }     \
    __BANKMODEL_D unsigned get_z() { return __bankmodel_special_##z_(); }     \
    inline __attribute__((device)) operator uint3() const;                    \
    inline __attribute__((device)) operator dim3() const;                     \
  };                                                                          \
  extern const __attribute__((device)) __attribute__((weak)) __bankmodel_##name name;
__BANKMODEL_INDEX(threadIdx, thread_x, thread_y, thread_z)
__BANKMODEL_INDEX(blockIdx, block_x, block_y, block_z)
__BANKMODEL_INDEX(blockDim, threads_x, threads_y, threads_z)
__BANKMODEL_INDEX(gridDim, blocks_x, blocks_y, blocks_z)
static __attribute__((device)) const int warpSize = __AMDGCN_WAVEFRONT_SIZE;
#else
static __attribute__((device)) const int warpSize = 32;
#endif

__BANKMODEL_O void __bankmodel_barrier() __attribute__((convergent));
__BANKMODEL_O void __bankmodel_warp_sync() __attribute__((convergent));
__BANKMODEL_O int __syncthreads_count(int) __attribute__((convergent));
__BANKMODEL_O int __syncthreads_and(int) __attribute__((convergent));
__BANKMODEL_O int __syncthreads_or(int) __attribute__((convergent));
#ifdef __HIP__
__BANKMODEL_D void __syncthreads() { __bankmodel_barrier(); }
#endif
// These lanes wait for each other.
__BANKMODEL_O void __bankmodel_meet(unsigned long long lanes) __attribute__((convergent));
__BANKMODEL_D void __syncwarp(unsigned lanes = 0xffffffffu) {
  __bankmodel_meet(lanes);
  __bankmodel_warp_sync();
}
// No access is moved past them, as past __syncwarp().
__BANKMODEL_D void __threadfence() { __bankmodel_warp_sync(); }
__BANKMODEL_D void __threadfence_block() { __bankmodel_warp_sync(); }
__BANKMODEL_D void __threadfence_system() { __bankmodel_warp_sync(); }
__BANKMODEL_D void __threadfence_cluster() { __bankmodel_warp_sync(); }
__BANKMODEL_O void __trap();
__BANKMODEL_O void __brkpt();
__BANKMODEL_O void __prof_trigger(int);
__BANKMODEL_O void __nanosleep(unsigned);
__BANKMODEL_O long long clock64();
__BANKMODEL_O long long wall_clock64();
__BANKMODEL_O unsigned __bankmodel_global_timer();
#pragma clang force_cuda_host_device begin
extern "C" void __assert_fail(const char*, const char*, unsigned, const char*) throw()
    __attribute__((noreturn));
#pragma clang force_cuda_host_device end
)prelude",
    // Vector types, with make_ functions.
    R"prelude(
#define __BANKMODEL_VECTORS(name, type, align2, align4)                                    \
  struct name##1 { type x; };                                                              \
  struct __attribute__((aligned(align2))) name##2 { type x, y; };                          \
  struct name##3 { type x, y, z; };                                                        \
  struct __attribute__((aligned(align4))) name##4 { type x, y, z, w; };                    \
  __BANKMODEL_HD name##1 make_##name##1(type x) { return {x}; }                            \
  __BANKMODEL_HD name##2 make_##name##2(type x, type y) { return {x, y}; }                 \
  __BANKMODEL_HD name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }      \
  __BANKMODEL_HD name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
__BANKMODEL_VECTORS(char, signed char, 2, 4)
__BANKMODEL_VECTORS(uchar, unsigned char, 2, 4)
__BANKMODEL_VECTORS(short, short, 4, 8)
__BANKMODEL_VECTORS(ushort, unsigned short, 4, 8)
__BANKMODEL_VECTORS(int, int, 8, 16)
__BANKMODEL_VECTORS(uint, unsigned int, 8, 16)
__BANKMODEL_VECTORS(long, long, 16, 16)
__BANKMODEL_VECTORS(ulong, unsigned long, 16, 16)
__BANKMODEL_VECTORS(longlong, long long, 16, 16)
__BANKMODEL_VECTORS(ulonglong, unsigned long long, 16, 16)
__BANKMODEL_VECTORS(float, float, 8, 16)
__BANKMODEL_VECTORS(double, double, 16, 16)
// CUDA 13 has them with their alignment in the name.
#define __BANKMODEL_ALIGNED_VECTORS(name, type)                                                 \
  struct __attribute__((aligned(16))) name##4_16a { type x, y, z, w; };                         \
  struct __attribute__((aligned(32))) name##4_32a { type x, y, z, w; };                         \
  __BANKMODEL_HD name##4_16a make_##name##4_16a(type x, type y, type z, type w) {               \
    return {x, y, z, w};                                                                        \
  }                                                                                             \
  __BANKMODEL_HD name##4_32a make_##name##4_32a(type x, type y, type z, type w) {               \
    return {x, y, z, w};                                                                        \
  }
__BANKMODEL_ALIGNED_VECTORS(long, long)
__BANKMODEL_ALIGNED_VECTORS(ulong, unsigned long)
__BANKMODEL_ALIGNED_VECTORS(longlong, long long)
__BANKMODEL_ALIGNED_VECTORS(ulonglong, unsigned long long)
__BANKMODEL_ALIGNED_VECTORS(double, double)
// HIP's vectors have operators. They are templates, so that a program's own come first.
#ifdef __HIP__
template <class V> struct __bankmodel_vector {};
#define __BANKMODEL_ELEMENTS(name, type)                                                    \
  template <> struct __bankmodel_vector<name##1> { typedef type element; enum { size = 1 }; }; \
  template <> struct __bankmodel_vector<name##2> { typedef type element; enum { size = 2 }; }; \
  template <> struct __bankmodel_vector<name##3> { typedef type element; enum { size = 3 }; }; \
  template <> struct __bankmodel_vector<name##4> { typedef type element; enum { size = 4 }; };
__BANKMODEL_ELEMENTS(char, signed char)
__BANKMODEL_ELEMENTS(uchar, unsigned char)
__BANKMODEL_ELEMENTS(short, short)
__BANKMODEL_ELEMENTS(ushort, unsigned short)
__BANKMODEL_ELEMENTS(int, int)
__BANKMODEL_ELEMENTS(uint, unsigned int)
__BANKMODEL_ELEMENTS(long, long)
__BANKMODEL_ELEMENTS(ulong, unsigned long)
__BANKMODEL_ELEMENTS(longlong, long long)
__BANKMODEL_ELEMENTS(ulonglong, unsigned long long)
__BANKMODEL_ELEMENTS(float, float)
__BANKMODEL_ELEMENTS(double, double)
template <class S, class T> struct __bankmodel_if_number {};
#define __BANKMODEL_NUMBER(S) \
  template <class T> struct __bankmodel_if_number<S, T> { typedef T type; };
__BANKMODEL_NUMBER(bool) __BANKMODEL_NUMBER(char) __BANKMODEL_NUMBER(signed char)
__BANKMODEL_NUMBER(unsigned char) __BANKMODEL_NUMBER(short) __BANKMODEL_NUMBER(unsigned short)
__BANKMODEL_NUMBER(int) __BANKMODEL_NUMBER(unsigned) __BANKMODEL_NUMBER(long)
__BANKMODEL_NUMBER(unsigned long) __BANKMODEL_NUMBER(long long)
__BANKMODEL_NUMBER(unsigned long long) __BANKMODEL_NUMBER(float) __BANKMODEL_NUMBER(double)
template <class V, class = typename __bankmodel_vector<V>::element>
__BANKMODEL_HD V __bankmodel_splat(typename __bankmodel_vector<V>::element v) {
  V r;
  r.x = v;
  if constexpr (__bankmodel_vector<V>::size > 1) r.y = v;
  if constexpr (__bankmodel_vector<V>::size > 2) r.z = v;
  if constexpr (__bankmodel_vector<V>::size > 3) r.w = v;
  return r;
}
#define __BANKMODEL_VECTOR_OPERATOR(op)                                                        \
  template <class V, class = typename __bankmodel_vector<V>::element>                          \
  __BANKMODEL_HD V& operator op##=(V& a, const V& b) {                                         \
    a.x op##= b.x;                                                                             \
    if constexpr (__bankmodel_vector<V>::size > 1) a.y op##= b.y;                              \
    if constexpr (__bankmodel_vector<V>::size > 2) a.z op##= b.z;                              \
    if constexpr (__bankmodel_vector<V>::size > 3) a.w op##= b.w;                              \
    return a;                                                                                  \
  }                                                                                            \
  template <class V, class S, class = typename __bankmodel_vector<V>::element>                 \
  __BANKMODEL_HD typename __bankmodel_if_number<S, V&>::type operator op##=(V& a, S b) { \
    return a op##= __bankmodel_splat<V>((typename __bankmodel_vector<V>::element)b);           \
  }                                                                                            \
  template <class V, class = typename __bankmodel_vector<V>::element>                          \
  __BANKMODEL_HD V operator op(V a, const V& b) { return a op##= b; }                          \
  template <class V, class S, class = typename __bankmodel_vector<V>::element>                 \
  __BANKMODEL_HD typename __bankmodel_if_number<S, V>::type operator op(V a, S b) {  \
    return a op##= b;                                                                          \
  }                                                                                            \
  template <class V, class S, class = typename __bankmodel_vector<V>::element>                 \
  __BANKMODEL_HD typename __bankmodel_if_number<S, V>::type operator op(S a, V b) {  \
    V r = __bankmodel_splat<V>((typename __bankmodel_vector<V>::element)a);                    \
    return r op##= b;                                                                          \
  }
__BANKMODEL_VECTOR_OPERATOR(+)
__BANKMODEL_VECTOR_OPERATOR(-)
__BANKMODEL_VECTOR_OPERATOR(*)
__BANKMODEL_VECTOR_OPERATOR(/)
template <class V, class = typename __bankmodel_vector<V>::element>
__BANKMODEL_HD V operator-(const V& a) {
  return __bankmodel_splat<V>(0) - a;
}
#endif
struct dim3 {
  unsigned x, y, z;
  __attribute__((host)) __attribute__((device)) constexpr dim3(unsigned x_ = 1, unsigned y_ = 1,
                                                               unsigned z_ = 1)
      : x(x_), y(y_), z(z_) {}
  __attribute__((host)) __attribute__((device)) constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __attribute__((host)) __attribute__((device)) constexpr operator uint3() const {
    return {x, y, z};
  }
};
#ifdef __HIP__
#define __BANKMODEL_CONVERT(name)                                                        \
  inline __attribute__((device)) __bankmodel_##name::operator uint3() const {                \
    return {get_x(), get_y(), get_z()};                                             \
  }                                                                               \
  inline __attribute__((device)) __bankmodel_##name::operator dim3() const {                 \
    return {get_x(), get_y(), get_z()};                                             \
  }
__BANKMODEL_CONVERT(threadIdx)
__BANKMODEL_CONVERT(blockIdx)
__BANKMODEL_CONVERT(blockDim)
__BANKMODEL_CONVERT(gridDim)
#else
extern const __attribute__((device)) __attribute__((weak)) uint3 threadIdx, blockIdx;
extern const __attribute__((device)) __attribute__((weak)) dim3 blockDim, gridDim;
#endif
)prelude",
    // Shuffles, votes, atomics, bits.
    R"prelude(
#define __BANKMODEL_SHUFFLES(kind)                                                             \
  __BANKMODEL_O unsigned __bankmodel_shuffle_##kind##_32(unsigned, int, int)                  \
      __attribute__((convergent));                                                             \
  __BANKMODEL_O unsigned long long __bankmodel_shuffle_##kind##_64(unsigned long long, int, int) \
      __attribute__((convergent));
__BANKMODEL_SHUFFLES(index)
__BANKMODEL_SHUFFLES(up)
__BANKMODEL_SHUFFLES(down)
__BANKMODEL_SHUFFLES(butterfly)
#define __BANKMODEL_SHUFFLE(kind)                                                              \
  template <class T>                                                                           \
  __BANKMODEL_D T __bankmodel_do_##kind(T value, int lane, int width) {                        \
    static_assert(sizeof(T) <= 32, "a tile shuffles at most 32 bytes");                        \
    if constexpr (sizeof(T) > 8) {                                                             \
      unsigned words[(sizeof(T) + 3) / 4] = {};                                                \
      __builtin_memcpy(words, &value, sizeof(T));                                              \
      _Pragma("unroll") for (unsigned& word : words) word =                                    \
          __bankmodel_shuffle_##kind##_32(word, lane, width);                                  \
      __builtin_memcpy(&value, words, sizeof(T));                                              \
    } else if constexpr (sizeof(T) == 8) {                                                     \
      unsigned long long bits = 0;                                                             \
      __builtin_memcpy(&bits, &value, 8);                                                      \
      bits = __bankmodel_shuffle_##kind##_64(bits, lane, width);                               \
      __builtin_memcpy(&value, &bits, 8);                                                      \
    } else {                                                                                   \
      unsigned bits = 0;                                                                       \
      __builtin_memcpy(&bits, &value, sizeof(T));                                              \
      bits = __bankmodel_shuffle_##kind##_32(bits, lane, width);                               \
      __builtin_memcpy(&value, &bits, sizeof(T));                                              \
    }                                                                                          \
    return value;                                                                              \
  }
__BANKMODEL_SHUFFLE(index)
__BANKMODEL_SHUFFLE(up)
__BANKMODEL_SHUFFLE(down)
__BANKMODEL_SHUFFLE(butterfly)
// A shuffle of a narrow type is one of int. HIP's with a mask are templates.
#define __BANKMODEL_SHUFFLE_TYPE(name, kind, lane_type, T)                                     \
  __BANKMODEL_D T name(T value, lane_type lane, int width = warpSize) {                        \
    return __bankmodel_do_##kind(value, (int)lane, width);                                     \
  }
#ifdef __HIP__
#define __BANKMODEL_SHUFFLE_SYNC(name, kind, lane_type)                                        \
  template <class T>                                                                           \
  __BANKMODEL_D T name##_sync(unsigned long long lanes, T value, lane_type lane,               \
                              int width = warpSize) {                                          \
    __bankmodel_meet(lanes);                                                                   \
    return __bankmodel_do_##kind(value, (int)lane, width);                                     \
  }
#define __BANKMODEL_SHUFFLE_SYNC_TYPE(name, kind, lane_type, T)
#else
#define __BANKMODEL_SHUFFLE_SYNC(name, kind, lane_type)
#define __BANKMODEL_SHUFFLE_SYNC_TYPE(name, kind, lane_type, T)                                \
  __BANKMODEL_D T name##_sync(unsigned lanes, T value, lane_type lane, int width = warpSize) { \
    __bankmodel_meet(lanes);                                                                   \
    return __bankmodel_do_##kind(value, (int)lane, width);                                     \
  }
#endif
#define __BANKMODEL_SHUFFLE_BOTH(name, kind, lane_type, T)                                     \
  __BANKMODEL_SHUFFLE_TYPE(name, kind, lane_type, T)                                           \
  __BANKMODEL_SHUFFLE_SYNC_TYPE(name, kind, lane_type, T)
#define __BANKMODEL_SHUFFLE_OVERLOADS(name, kind, lane_type)                                   \
  __BANKMODEL_SHUFFLE_SYNC(name, kind, lane_type)                                              \
  __BANKMODEL_SHUFFLE_BOTH(name, kind, lane_type, int)                                         \
  __BANKMODEL_SHUFFLE_BOTH(name, kind, lane_type, unsigned)                                    \
  __BANKMODEL_SHUFFLE_BOTH(name, kind, lane_type, long)                                        \
  __BANKMODEL_SHUFFLE_BOTH(name, kind, lane_type, unsigned long)                               \
  __BANKMODEL_SHUFFLE_BOTH(name, kind, lane_type, long long)                                   \
  __BANKMODEL_SHUFFLE_BOTH(name, kind, lane_type, unsigned long long)                          \
  __BANKMODEL_SHUFFLE_BOTH(name, kind, lane_type, float)                                       \
  __BANKMODEL_SHUFFLE_BOTH(name, kind, lane_type, double)                                      \
  __BANKMODEL_SHUFFLE_BOTH(name, kind, lane_type, __half)                                      \
  __BANKMODEL_SHUFFLE_BOTH(name, kind, lane_type, __half2)                                     \
  __BANKMODEL_SHUFFLE_BOTH(name, kind, lane_type, __nv_bfloat16)                               \
  __BANKMODEL_SHUFFLE_BOTH(name, kind, lane_type, __nv_bfloat162)
__BANKMODEL_SHUFFLE_OVERLOADS(__shfl, index, int)
__BANKMODEL_SHUFFLE_OVERLOADS(__shfl_up, up, unsigned)
__BANKMODEL_SHUFFLE_OVERLOADS(__shfl_down, down, unsigned)
__BANKMODEL_SHUFFLE_OVERLOADS(__shfl_xor, butterfly, int)

__BANKMODEL_O int __bankmodel_vote_any(int) __attribute__((convergent));
__BANKMODEL_O int __bankmodel_vote_all(int) __attribute__((convergent));
__BANKMODEL_O unsigned long long __bankmodel_vote_ballot(int) __attribute__((convergent));
__BANKMODEL_O unsigned long long __bankmodel_vote_active() __attribute__((convergent));
__BANKMODEL_O unsigned __match_any_sync(unsigned, unsigned long long) __attribute__((convergent));
template <class T> __BANKMODEL_D unsigned __match_any_sync(unsigned lanes, T value) {
  return __match_any_sync(lanes, (unsigned long long)value);
}
template <class T> __BANKMODEL_D unsigned __match_all_sync(unsigned lanes, T value, int* all) {
  const unsigned result = __match_any_sync(lanes, (unsigned long long)value);
  *all = result == lanes;
  return result;
}
__BANKMODEL_O int __bankmodel_vote_any_sync(int, unsigned long long) __attribute__((convergent));
__BANKMODEL_O int __bankmodel_vote_all_sync(int, unsigned long long) __attribute__((convergent));
__BANKMODEL_O unsigned long long __bankmodel_vote_ballot_sync(int, unsigned long long)
    __attribute__((convergent));
__BANKMODEL_D int __any_sync(unsigned long long lanes, int p) {
  return __bankmodel_vote_any_sync(p, lanes);
}
__BANKMODEL_D int __all_sync(unsigned long long lanes, int p) {
  return __bankmodel_vote_all_sync(p, lanes);
}
__BANKMODEL_D int __any(int p) { return __bankmodel_vote_any(p); }
__BANKMODEL_D int __all(int p) { return __bankmodel_vote_all(p); }
#ifdef __HIP__
__BANKMODEL_D unsigned long long __ballot(int p) { return __bankmodel_vote_ballot(p); }
__BANKMODEL_D unsigned long long __activemask() { return __bankmodel_vote_active(); }
__BANKMODEL_D unsigned long long __ballot_sync(unsigned long long lanes, int p) {
  return __bankmodel_vote_ballot_sync(p, lanes);
}
#else
__BANKMODEL_D unsigned __ballot(int p) { return (unsigned)__bankmodel_vote_ballot(p); }
__BANKMODEL_D unsigned __activemask() { return (unsigned)__bankmodel_vote_active(); }
__BANKMODEL_D unsigned __ballot_sync(unsigned lanes, int p) {
  return (unsigned)__bankmodel_vote_ballot_sync(p, lanes);
}
#endif
__BANKMODEL_O unsigned __reduce_add_sync(unsigned, unsigned) __attribute__((convergent));
__BANKMODEL_O unsigned __reduce_max_sync(unsigned, unsigned) __attribute__((convergent));
__BANKMODEL_O unsigned __reduce_min_sync(unsigned, unsigned) __attribute__((convergent));
__BANKMODEL_O unsigned __reduce_and_sync(unsigned, unsigned) __attribute__((convergent));
__BANKMODEL_O unsigned __reduce_or_sync(unsigned, unsigned) __attribute__((convergent));
__BANKMODEL_O unsigned __reduce_xor_sync(unsigned, unsigned) __attribute__((convergent));
#define __BANKMODEL_REDUCTION(name)                                  \
  __BANKMODEL_D int name(unsigned lanes, int value) {                \
    return (int)name(lanes, (unsigned)value);                        \
  }
__BANKMODEL_REDUCTION(__reduce_add_sync)
__BANKMODEL_REDUCTION(__reduce_max_sync)
__BANKMODEL_REDUCTION(__reduce_min_sync)
__BANKMODEL_C unsigned __bankmodel_special_lane();
__BANKMODEL_C unsigned __bankmodel_special_warp();
__BANKMODEL_D unsigned __lane_id() { return __bankmodel_special_lane(); }

// They have their operands, since what computes these is as needed as the access.
__BANKMODEL_O unsigned short __bankmodel_atomic_16(volatile void*, unsigned short, unsigned short);
__BANKMODEL_O unsigned __bankmodel_atomic_32(volatile void*, unsigned, unsigned);
__BANKMODEL_O unsigned long long __bankmodel_atomic_64(volatile void*, unsigned long long,
                                                       unsigned long long);
template <class T>
__BANKMODEL_D T __bankmodel_atomic(T* at, T value, T compared) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8,
                "an atomic access of 2, 4 or 8 bytes");
#define __BANKMODEL_ATOMIC_BITS(bits, type)                                                       \
  if constexpr (sizeof(T) == bits / 8) {                                                          \
    type given = 0, expected = 0;                                                                 \
    __builtin_memcpy(&given, &value, sizeof(T));                                                  \
    __builtin_memcpy(&expected, &compared, sizeof(T));                                            \
    given = __bankmodel_atomic_##bits((volatile void*)at, given, expected);                       \
    __builtin_memcpy(&value, &given, sizeof(T));                                                  \
  }
  __BANKMODEL_ATOMIC_BITS(64, unsigned long long)
  __BANKMODEL_ATOMIC_BITS(32, unsigned)
  __BANKMODEL_ATOMIC_BITS(16, unsigned short)
#undef __BANKMODEL_ATOMIC_BITS
  return value;
}
template <class T> __BANKMODEL_D T __bankmodel_atomic(T* at, T value) {
  return __bankmodel_atomic(at, value, value);
}
template <class T> struct __bankmodel_same { typedef T type; };
#define __BANKMODEL_ATOMIC(name)                                                      \
  template <class T>                                                                  \
  __BANKMODEL_D T name(T* at, typename __bankmodel_same<T>::type value) {             \
    return __bankmodel_atomic(at, value);                                             \
  }                                                                                   \
  template <class T>                                                                  \
  __BANKMODEL_D T name(volatile T* at, typename __bankmodel_same<T>::type value) {    \
    return __bankmodel_atomic((T*)at, value);                                         \
  }                                                                                   \
  template <class T>                                                                  \
  __BANKMODEL_D T name##_block(T* at, typename __bankmodel_same<T>::type value) {     \
    return __bankmodel_atomic(at, value);                                             \
  }                                                                                   \
  template <class T>                                                                  \
  __BANKMODEL_D T name##_system(T* at, typename __bankmodel_same<T>::type value) {    \
    return __bankmodel_atomic(at, value);                                             \
  }
__BANKMODEL_ATOMIC(atomicAdd)
__BANKMODEL_ATOMIC(atomicSub)
__BANKMODEL_ATOMIC(atomicExch)
__BANKMODEL_ATOMIC(atomicMin)
__BANKMODEL_ATOMIC(atomicMax)
__BANKMODEL_ATOMIC(atomicInc)
__BANKMODEL_ATOMIC(atomicDec)
__BANKMODEL_ATOMIC(atomicAnd)
__BANKMODEL_ATOMIC(atomicOr)
__BANKMODEL_ATOMIC(atomicXor)
template <class T>
__BANKMODEL_D T atomicCAS_block(T* at, typename __bankmodel_same<T>::type compared,
                                typename __bankmodel_same<T>::type value) {
  return __bankmodel_atomic(at, value, compared);
}
template <class T>
__BANKMODEL_D T atomicCAS_system(T* at, typename __bankmodel_same<T>::type compared,
                                 typename __bankmodel_same<T>::type value) {
  return __bankmodel_atomic(at, value, compared);
}
template <class T>
__BANKMODEL_D T atomicCAS(T* at, typename __bankmodel_same<T>::type compared,
                          typename __bankmodel_same<T>::type value) {
  return __bankmodel_atomic(at, value, compared);
}

__BANKMODEL_C int __bankmodel_leading_zeros_32(unsigned);
__BANKMODEL_C int __bankmodel_leading_zeros_64(unsigned long long);
__BANKMODEL_C unsigned __bankmodel_permute(unsigned, unsigned, unsigned);
__BANKMODEL_C unsigned __bankmodel_funnel_left(unsigned, unsigned, unsigned);
__BANKMODEL_C unsigned __bankmodel_funnel_right(unsigned, unsigned, unsigned);
__BANKMODEL_D int __popc(unsigned v) { return __builtin_popcount(v); }
__BANKMODEL_D int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
__BANKMODEL_D int __clz(int v) { return __bankmodel_leading_zeros_32((unsigned)v); }
__BANKMODEL_D int __clzll(long long v) {
  return __bankmodel_leading_zeros_64((unsigned long long)v);
}
__BANKMODEL_D int __ffs(int v) {
  return 32 - __bankmodel_leading_zeros_32((unsigned)v & (0u - (unsigned)v));
}
__BANKMODEL_D int __ffsll(long long v) {
  return 64 - __bankmodel_leading_zeros_64((unsigned long long)v & (0ull - (unsigned long long)v));
}
__BANKMODEL_D unsigned __brev(unsigned v) { return __builtin_bitreverse32(v); }
__BANKMODEL_D unsigned long long __brevll(unsigned long long v) {
  return __builtin_bitreverse64(v);
}
__BANKMODEL_D unsigned __byte_perm(unsigned a, unsigned b, unsigned s) {
  return __bankmodel_permute(a, b, s);
}
__BANKMODEL_D unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned s) {
  return __bankmodel_funnel_left(lo, hi, s);
}
__BANKMODEL_D unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned s) {
  return __bankmodel_funnel_right(lo, hi, s);
}
__BANKMODEL_D unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned s) {
  return s < 32 ? __bankmodel_funnel_left(lo, hi, s) : lo;
}
__BANKMODEL_D unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned s) {
  return s < 32 ? __bankmodel_funnel_right(lo, hi, s) : hi;
}
__BANKMODEL_C unsigned __fns(unsigned, unsigned, int);
__BANKMODEL_D int __mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
__BANKMODEL_D unsigned __umul24(unsigned a, unsigned b) {
  return (a & 0xffffffu) * (b & 0xffffffu);
}
__BANKMODEL_D int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
__BANKMODEL_D unsigned __umulhi(unsigned a, unsigned b) {
  return (unsigned)((unsigned long long)a * b >> 32);
}
__BANKMODEL_D long long __mul64hi(long long a, long long b) {
  return (long long)((__int128)a * b >> 64);
}
template <class T> __BANKMODEL_D T __ldg(const T* at) { return *at; }
template <class T> __BANKMODEL_D T __ldcg(const T* at) { return *at; }
template <class T> __BANKMODEL_D T __ldca(const T* at) { return *at; }
template <class T> __BANKMODEL_D T __ldcs(const T* at) { return *at; }
template <class T> __BANKMODEL_D T __ldlu(const T* at) { return *at; }
template <class T> __BANKMODEL_D T __ldcv(const T* at) { return *at; }
template <class T> __BANKMODEL_D void __stcg(T* at, T value) { *at = value; }
template <class T> __BANKMODEL_D void __stcs(T* at, T value) { *at = value; }
template <class T> __BANKMODEL_D void __stwb(T* at, T value) { *at = value; }
template <class T> __BANKMODEL_D void __stwt(T* at, T value) { *at = value; }
// Addresses of shared memory have the same value in each form here.
__BANKMODEL_D size_t __cvta_generic_to_shared(const void* at) { return (size_t)at; }
__BANKMODEL_D size_t __cvta_generic_to_global(const void* at) { return (size_t)at; }
__BANKMODEL_D void* __cvta_shared_to_generic(size_t at) { return (void*)at; }
__BANKMODEL_D size_t __cvta_generic_to_local(const void* address) { return (size_t)address; }
__BANKMODEL_D size_t __cvta_generic_to_constant(const void* address) { return (size_t)address; }
__BANKMODEL_D void* __cvta_global_to_generic(size_t address) { return (void*)address; }
__BANKMODEL_D void* __cvta_local_to_generic(size_t address) { return (void*)address; }
__BANKMODEL_D void* __cvta_constant_to_generic(size_t address) { return (void*)address; }
__BANKMODEL_C unsigned __isShared(const void*);
__BANKMODEL_C unsigned __isGlobal(const void*);
__BANKMODEL_C unsigned __isConstant(const void*);
__BANKMODEL_C unsigned __isLocal(const void*);
__BANKMODEL_O void __bankmodel_copy_async(void*, const void*, size_t);
__BANKMODEL_D void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t = 0) {
  __bankmodel_copy_async(to, from, bytes);
}
__BANKMODEL_D void __pipeline_commit() {}
__BANKMODEL_D void __pipeline_wait_prior(size_t) {}
)prelude",
    // Arithmetic. No result of the functions without a body is computed.
    R"prelude(
#define __BANKMODEL_MINIMUM(T)                                    \
  __BANKMODEL_HD T min(T a, T b) { return b < a ? b : a; }        \
  __BANKMODEL_HD T max(T a, T b) { return a < b ? b : a; }
__BANKMODEL_MINIMUM(int)
__BANKMODEL_MINIMUM(unsigned)
__BANKMODEL_MINIMUM(long)
__BANKMODEL_MINIMUM(unsigned long)
__BANKMODEL_MINIMUM(long long)
__BANKMODEL_MINIMUM(unsigned long long)
#define __BANKMODEL_MINIMUM_2(R, A, B)                                    \
  __BANKMODEL_HD R min(A a, B b) { return (R)b < (R)a ? (R)b : (R)a; }    \
  __BANKMODEL_HD R max(A a, B b) { return (R)a < (R)b ? (R)b : (R)a; }    \
  __BANKMODEL_HD R min(B a, A b) { return (R)b < (R)a ? (R)b : (R)a; }    \
  __BANKMODEL_HD R max(B a, A b) { return (R)a < (R)b ? (R)b : (R)a; }
__BANKMODEL_MINIMUM_2(unsigned, int, unsigned)
__BANKMODEL_MINIMUM_2(unsigned long, long, unsigned long)
__BANKMODEL_MINIMUM_2(unsigned long long, long long, unsigned long long)
__BANKMODEL_MINIMUM_2(double, double, float)
#ifdef __HIP__
__BANKMODEL_MINIMUM_2(long, int, long)
__BANKMODEL_MINIMUM_2(unsigned long, unsigned, unsigned long)
__BANKMODEL_MINIMUM_2(unsigned long, int, unsigned long)
__BANKMODEL_MINIMUM_2(float, float, int)
__BANKMODEL_MINIMUM_2(double, double, int)
#endif
__BANKMODEL_HD unsigned umin(unsigned a, unsigned b) { return b < a ? b : a; }
__BANKMODEL_HD unsigned umax(unsigned a, unsigned b) { return a < b ? b : a; }
__BANKMODEL_HD float min(float a, float b) { return __builtin_fminf(a, b); }
__BANKMODEL_HD float max(float a, float b) { return __builtin_fmaxf(a, b); }
__BANKMODEL_HD double min(double a, double b) { return __builtin_fmin(a, b); }
__BANKMODEL_HD double max(double a, double b) { return __builtin_fmax(a, b); }
// glibc declares some of them too, as host and device functions.
#define __BANKMODEL_F1(name) __BANKMODEL_M float name(float) noexcept;
#define __BANKMODEL_F2(name) __BANKMODEL_M float name(float, float) noexcept;
#define __BANKMODEL_D1(name) __BANKMODEL_M double name(double) noexcept;
#define __BANKMODEL_D2(name) __BANKMODEL_M double name(double, double) noexcept;
#define __BANKMODEL_D3(name) __BANKMODEL_M double name(double, double, double) noexcept;
#define __BANKMODEL_F3(name) __BANKMODEL_M float name(float, float, float) noexcept;
// The double function, the float function, and the overload of the first for float.
#define __BANKMODEL_FD1(name)                        \
  __BANKMODEL_D1(name) __BANKMODEL_F1(name##f)       \
  __BANKMODEL_HD float name(float v) { return name##f(v); }
__BANKMODEL_F1(__expf) __BANKMODEL_F1(__exp10f) __BANKMODEL_F1(__logf) __BANKMODEL_F1(__log2f)
__BANKMODEL_F1(__log10f) __BANKMODEL_F1(__sinf) __BANKMODEL_F1(__cosf) __BANKMODEL_F1(__tanf)
__BANKMODEL_F1(__tanhf) __BANKMODEL_F1(__frsqrt_rn) __BANKMODEL_F2(__powf) __BANKMODEL_F2(__fdividef)
__BANKMODEL_FD1(rsqrt) __BANKMODEL_FD1(rcbrt) __BANKMODEL_FD1(erfcinv) __BANKMODEL_FD1(erfinv)
__BANKMODEL_FD1(normcdf) __BANKMODEL_FD1(normcdfinv) __BANKMODEL_FD1(sinpi) __BANKMODEL_FD1(cospi)
__BANKMODEL_FD1(erfcx) __BANKMODEL_FD1(cyl_bessel_i0) __BANKMODEL_FD1(cyl_bessel_i1)
__BANKMODEL_D2(rhypot) __BANKMODEL_F2(rhypotf) __BANKMODEL_D3(norm3d) __BANKMODEL_F3(norm3df)
__BANKMODEL_D3(rnorm3d) __BANKMODEL_F3(rnorm3df)
__BANKMODEL_M double norm4d(double, double, double, double);
__BANKMODEL_M double rnorm4d(double, double, double, double);
__BANKMODEL_M float norm4df(float, float, float, float);
__BANKMODEL_M float rnorm4df(float, float, float, float);
#pragma clang force_cuda_host_device begin
extern "C" double norm(int, const double*);
extern "C" double rnorm(int, const double*);
extern "C" float normf(int, const float*);
extern "C" float rnormf(int, const float*);
#pragma clang force_cuda_host_device end
// Overloads for float of functions that glibc has for double alone.
__BANKMODEL_M float exp10f(float) noexcept;
__BANKMODEL_M float j0f(float) noexcept;
__BANKMODEL_M float j1f(float) noexcept;
__BANKMODEL_M float jnf(int, float) noexcept;
__BANKMODEL_M float y0f(float) noexcept;
__BANKMODEL_M float y1f(float) noexcept;
__BANKMODEL_M float ynf(int, float) noexcept;
__BANKMODEL_HD float exp10(float v) { return exp10f(v); }
__BANKMODEL_HD float j0(float v) { return j0f(v); }
__BANKMODEL_HD float j1(float v) { return j1f(v); }
__BANKMODEL_HD float jn(int n, float v) { return jnf(n, v); }
__BANKMODEL_HD float y0(float v) { return y0f(v); }
__BANKMODEL_HD float y1(float v) { return y1f(v); }
__BANKMODEL_HD float yn(int n, float v) { return ynf(n, v); }
__BANKMODEL_HD void sincos(float v, float* s, float* c) { *s = sinf(v); *c = cosf(v); }
__BANKMODEL_D void __bankmodel_sincosf(float v, float* s, float* c) { *s = __sinf(v); *c = __cosf(v); }
#define __sincosf __bankmodel_sincosf // math.h has declared a function of this name
__BANKMODEL_HD void sincospif(float v, float* s, float* c) { *s = sinpif(v); *c = cospif(v); }
__BANKMODEL_HD void sincospi(double v, double* s, double* c) { *s = sinpi(v); *c = cospi(v); }
__BANKMODEL_HD void sincospi(float v, float* s, float* c) { sincospif(v, s, c); }
__BANKMODEL_HD float fdividef(float a, float b) { return a / b; }
__BANKMODEL_HD float __saturatef(float v) { return v > 0 ? v < 1 ? v : 1 : 0; }
__BANKMODEL_HD unsigned __urhadd(unsigned a, unsigned b) {
  return (unsigned)(((unsigned long long)a + b + 1) >> 1);
}
__BANKMODEL_HD long long llmin(long long a, long long b) { return b < a ? b : a; }
__BANKMODEL_HD long long llmax(long long a, long long b) { return a < b ? b : a; }
__BANKMODEL_HD unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return b < a ? b : a;
}
__BANKMODEL_HD unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return a < b ? b : a;
}
// Arithmetic with a rounding in the name. To nearest it is the operator's; the results of others
// are not computed.
#define __BANKMODEL_DIRECTED_2(T, name) \
  __BANKMODEL_M T name##_rz(T, T); __BANKMODEL_M T name##_rd(T, T); __BANKMODEL_M T name##_ru(T, T);
__BANKMODEL_DIRECTED_2(float, __fadd) __BANKMODEL_DIRECTED_2(float, __fsub)
__BANKMODEL_DIRECTED_2(float, __fmul) __BANKMODEL_DIRECTED_2(float, __fdiv)
__BANKMODEL_DIRECTED_2(double, __dadd) __BANKMODEL_DIRECTED_2(double, __dsub)
__BANKMODEL_DIRECTED_2(double, __dmul) __BANKMODEL_DIRECTED_2(double, __ddiv)
#define __BANKMODEL_DIRECTED_1(T, name) \
  __BANKMODEL_M T name##_rz(T); __BANKMODEL_M T name##_rd(T); __BANKMODEL_M T name##_ru(T);
__BANKMODEL_DIRECTED_1(float, __frcp) __BANKMODEL_DIRECTED_1(float, __fsqrt)
__BANKMODEL_DIRECTED_1(double, __drcp) __BANKMODEL_DIRECTED_1(double, __dsqrt)
#define __BANKMODEL_DIRECTED_3(T, name)                                        \
  __BANKMODEL_M T name##_rz(T, T, T); __BANKMODEL_M T name##_rd(T, T, T);      \
  __BANKMODEL_M T name##_ru(T, T, T);
__BANKMODEL_DIRECTED_3(float, __fmaf) __BANKMODEL_DIRECTED_3(float, __fmaf_ieee)
__BANKMODEL_DIRECTED_3(double, __fma)
__BANKMODEL_HD float __fmaf_ieee_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__BANKMODEL_HD float __fdiv_rn(float a, float b) { return a / b; }
__BANKMODEL_HD float __frcp_rn(float v) { return 1 / v; }
__BANKMODEL_HD float __fsqrt_rn(float v) { return __builtin_sqrtf(v); }
__BANKMODEL_HD double __drcp_rn(double v) { return 1 / v; }
__BANKMODEL_HD double __dsqrt_rn(double v) { return __builtin_sqrt(v); }
// From a number to an integer: the rounding is exact. From an integer to a number, and from double
// to float, it is to nearest; the results of other roundings are not computed.
#define __BANKMODEL_ROUNDED_INTEGER(T, name, F, suffix)                                     \
  __BANKMODEL_HD T name##_rn(F v) { return (T)__builtin_rint##suffix(v); }                  \
  __BANKMODEL_HD T name##_rz(F v) { return (T)v; }                                          \
  __BANKMODEL_HD T name##_rd(F v) { return (T)__builtin_floor##suffix(v); }                 \
  __BANKMODEL_HD T name##_ru(F v) { return (T)__builtin_ceil##suffix(v); }
__BANKMODEL_ROUNDED_INTEGER(int, __float2int, float, f)
__BANKMODEL_ROUNDED_INTEGER(unsigned, __float2uint, float, f)
__BANKMODEL_ROUNDED_INTEGER(long long, __float2ll, float, f)
__BANKMODEL_ROUNDED_INTEGER(unsigned long long, __float2ull, float, f)
__BANKMODEL_ROUNDED_INTEGER(int, __double2int, double, )
__BANKMODEL_ROUNDED_INTEGER(unsigned, __double2uint, double, )
__BANKMODEL_ROUNDED_INTEGER(long long, __double2ll, double, )
__BANKMODEL_ROUNDED_INTEGER(unsigned long long, __double2ull, double, )
#define __BANKMODEL_ROUNDED_NUMBER(F, name, T)                                              \
  __BANKMODEL_HD F name##_rn(T v) { return (F)v; }                                          \
  __BANKMODEL_M F name##_rz(T); __BANKMODEL_M F name##_rd(T); __BANKMODEL_M F name##_ru(T);
__BANKMODEL_ROUNDED_NUMBER(float, __int2float, int)
__BANKMODEL_ROUNDED_NUMBER(float, __uint2float, unsigned)
__BANKMODEL_ROUNDED_NUMBER(float, __ll2float, long long)
__BANKMODEL_ROUNDED_NUMBER(float, __ull2float, unsigned long long)
__BANKMODEL_ROUNDED_NUMBER(double, __ll2double, long long)
__BANKMODEL_ROUNDED_NUMBER(double, __ull2double, unsigned long long)
__BANKMODEL_ROUNDED_NUMBER(float, __double2float, double)
__BANKMODEL_HD double __int2double_rn(int v) { return v; }
__BANKMODEL_HD double __uint2double_rn(unsigned v) { return v; }
__BANKMODEL_HD int __double2hiint(double v) {
  return (int)(__builtin_bit_cast(unsigned long long, v) >> 32);
}
__BANKMODEL_HD int __double2loint(double v) {
  return (int)__builtin_bit_cast(unsigned long long, v);
}
__BANKMODEL_HD double __hiloint2double(int high, int low) {
  return __builtin_bit_cast(double, (unsigned long long)(unsigned)high << 32 | (unsigned)low);
}
__BANKMODEL_D float __fadd_rn(float a, float b) { return a + b; }
#define __BANKMODEL_TWO(rounding)                                                             \
  __BANKMODEL_D float2 __fadd2_##rounding(float2 a, float2 b) {                               \
    return {a.x + b.x, a.y + b.y};                                                            \
  }                                                                                           \
  __BANKMODEL_D float2 __fmul2_##rounding(float2 a, float2 b) {                               \
    return {a.x * b.x, a.y * b.y};                                                            \
  }                                                                                           \
  __BANKMODEL_D float2 __ffma2_##rounding(float2 a, float2 b, float2 c) {                     \
    return {a.x * b.x + c.x, a.y * b.y + c.y};                                                \
  }
__BANKMODEL_TWO(rn) __BANKMODEL_TWO(rz) __BANKMODEL_TWO(rd) __BANKMODEL_TWO(ru)
__BANKMODEL_D float __fsub_rn(float a, float b) { return a - b; }
__BANKMODEL_D float __fmul_rn(float a, float b) { return a * b; }
__BANKMODEL_D float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__BANKMODEL_D double __dadd_rn(double a, double b) { return a + b; }
__BANKMODEL_D double __dmul_rn(double a, double b) { return a * b; }
__BANKMODEL_D double __dsub_rn(double a, double b) { return a - b; }
__BANKMODEL_D double __ddiv_rn(double a, double b) { return a / b; }
__BANKMODEL_D unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
__BANKMODEL_D unsigned __uhadd(unsigned a, unsigned b) {
  return (unsigned)(((unsigned long long)a + b) >> 1);
}
__BANKMODEL_D int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
__BANKMODEL_D int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
__BANKMODEL_D double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
__BANKMODEL_D int __float_as_int(float v) { return __builtin_bit_cast(int, v); }
__BANKMODEL_D unsigned __float_as_uint(float v) { return __builtin_bit_cast(unsigned, v); }
__BANKMODEL_D float __int_as_float(int v) { return __builtin_bit_cast(float, v); }
__BANKMODEL_D float __uint_as_float(unsigned v) { return __builtin_bit_cast(float, v); }
__BANKMODEL_D long long __double_as_longlong(double v) { return __builtin_bit_cast(long long, v); }
__BANKMODEL_D double __longlong_as_double(long long v) { return __builtin_bit_cast(double, v); }
__BANKMODEL_D unsigned __sad(int a, int b, unsigned c) {
  return (unsigned)(a < b ? b - a : a - b) + c;
}
__BANKMODEL_D unsigned __usad(unsigned a, unsigned b, unsigned c) {
  return (a < b ? b - a : a - b) + c;
}

enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };
#ifndef __HIP__
// Names from before compute capability 7.0 that the toolkit still has.
#define __BANKMODEL_BY_MODE(name, ...)                                                       \
  mode == cudaRoundZero     ? name##_rz(__VA_ARGS__)                                         \
  : mode == cudaRoundPosInf ? name##_ru(__VA_ARGS__)                                         \
  : mode == cudaRoundMinInf ? name##_rd(__VA_ARGS__)                                         \
                            : name##_rn(__VA_ARGS__)
#define __BANKMODEL_OLD_ARITHMETIC(name)                                                     \
  __BANKMODEL_D double name(double a, double b, cudaRoundMode mode = cudaRoundNearest) {     \
    return __BANKMODEL_BY_MODE(__##name, a, b);                                              \
  }
__BANKMODEL_OLD_ARITHMETIC(dadd)
__BANKMODEL_OLD_ARITHMETIC(dsub)
__BANKMODEL_OLD_ARITHMETIC(dmul)
#define __BANKMODEL_OLD_CONVERSION(to, name, from, rounding)                                 \
  __BANKMODEL_D to name(from v, cudaRoundMode mode = rounding) {                             \
    return __BANKMODEL_BY_MODE(__##name, v);                                                 \
  }
__BANKMODEL_OLD_CONVERSION(int, double2int, double, cudaRoundZero)
__BANKMODEL_OLD_CONVERSION(unsigned, double2uint, double, cudaRoundZero)
__BANKMODEL_OLD_CONVERSION(long long, double2ll, double, cudaRoundZero)
__BANKMODEL_OLD_CONVERSION(unsigned long long, double2ull, double, cudaRoundZero)
__BANKMODEL_OLD_CONVERSION(double, ll2double, long long, cudaRoundNearest)
__BANKMODEL_OLD_CONVERSION(double, ull2double, unsigned long long, cudaRoundNearest)
__BANKMODEL_D double int2double(int v, cudaRoundMode = cudaRoundNearest) { return v; }
__BANKMODEL_D double uint2double(unsigned v, cudaRoundMode = cudaRoundNearest) { return v; }
__BANKMODEL_D double float2double(float v, cudaRoundMode = cudaRoundNearest) { return v; }
__BANKMODEL_D double fdivide(double a, double b) { return a / b; }
__BANKMODEL_D bool any(bool p) { return __any(p); }
__BANKMODEL_D bool all(bool p) { return __all(p); }
__BANKMODEL_D unsigned ballot(bool p) { return __ballot(p); }
__BANKMODEL_D int syncthreads_count(bool p) { return __syncthreads_count(p); }
__BANKMODEL_D bool syncthreads_and(bool p) { return __syncthreads_and(p); }
__BANKMODEL_D bool syncthreads_or(bool p) { return __syncthreads_or(p); }
__BANKMODEL_D int __uni_sync(unsigned lanes, int p) {
  return __all_sync(lanes, p) || !__any_sync(lanes, p);
}
__BANKMODEL_D void __barrier_sync(unsigned id) { asm volatile("barrier.sync %0;" ::"r"(id)); }
__BANKMODEL_D void __barrier_sync_count(unsigned id, unsigned threads) {
  asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(threads));
}
typedef unsigned long long __mbarrier_t, __mbarrier_token_t;
__BANKMODEL_D unsigned __bankmodel_shared_address(const void* of) {
  return (unsigned)__cvta_generic_to_shared(of);
}
__BANKMODEL_D unsigned __mbarrier_maximum_count() { return (1u << 20) - 1; }
__BANKMODEL_D void __mbarrier_init(__mbarrier_t* at, unsigned count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(__bankmodel_shared_address(at)),
               "r"(count));
}
__BANKMODEL_D void __mbarrier_inval(__mbarrier_t* at) {
  asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(__bankmodel_shared_address(at)));
}
#define __BANKMODEL_ARRIVE(name, instruction)                                                  \
  __BANKMODEL_D __mbarrier_token_t name(__mbarrier_t* at) {                                    \
    __mbarrier_token_t token;                                                                  \
    asm volatile(instruction ".shared.b64 %0, [%1];"                                           \
                 : "=l"(token)                                                                 \
                 : "r"(__bankmodel_shared_address(at)));                                       \
    return token;                                                                              \
  }
__BANKMODEL_ARRIVE(__mbarrier_arrive, "mbarrier.arrive")
__BANKMODEL_ARRIVE(__mbarrier_arrive_and_drop, "mbarrier.arrive_drop")
__BANKMODEL_D unsigned __mbarrier_token_pending_count(__mbarrier_token_t token) {
  unsigned count;
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
  return count;
}
// Waits end at their first test, as for other mbarriers.
__BANKMODEL_D bool __mbarrier_test_wait(__mbarrier_t*, __mbarrier_token_t) { return true; }
__BANKMODEL_D bool __mbarrier_test_wait_parity(__mbarrier_t*, bool) { return true; }
__BANKMODEL_D bool __mbarrier_try_wait(__mbarrier_t*, __mbarrier_token_t, unsigned) {
  return true;
}
__BANKMODEL_D bool __mbarrier_try_wait_parity(__mbarrier_t*, bool, unsigned) { return true; }
__BANKMODEL_D void __pipeline_arrive_on(__mbarrier_t* at) {
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(__bankmodel_shared_address(at)));
}
__BANKMODEL_D unsigned __isCtaShared(const void* address) { return __isShared(address); }
__BANKMODEL_C unsigned __isClusterShared(const void*);
__BANKMODEL_C unsigned __isGridConstant(const void*);
__BANKMODEL_D size_t __cvta_generic_to_grid_constant(const void* address) {
  return (size_t)address;
}
__BANKMODEL_D void* __cvta_grid_constant_to_generic(size_t address) { return (void*)address; }
#endif
)prelude",
    // Clusters of blocks.
    R"prelude(
#ifndef __HIP__
#define __BANKMODEL_CLUSTER(name, vector)                                                    \
  __BANKMODEL_D dim3 name() {                                                                \
    dim3 result;                                                                             \
    asm("mov.u32 %0, %%" vector ".x; mov.u32 %1, %%" vector ".y; mov.u32 %2, %%" vector ".z;"\
        : "=r"(result.x), "=r"(result.y), "=r"(result.z));                                   \
    return result;                                                                           \
  }
__BANKMODEL_CLUSTER(__clusterDim, "cluster_nctaid")
__BANKMODEL_CLUSTER(__clusterRelativeBlockIdx, "cluster_ctaid")
__BANKMODEL_CLUSTER(__clusterGridDimInClusters, "nclusterid")
__BANKMODEL_CLUSTER(__clusterIdx, "clusterid")
__BANKMODEL_D unsigned __clusterRelativeBlockRank() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__BANKMODEL_D unsigned __clusterSizeInBlocks() {
  unsigned blocks;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  return blocks;
}
__BANKMODEL_D void* __cluster_map_shared_rank(const void* from, unsigned rank) {
  unsigned long long to;
  asm("mapa.u64 %0, %1, %2;" : "=l"(to) : "l"(from), "r"(rank));
  return (void*)to;
}
__BANKMODEL_D unsigned long long __cluster_map_shared_multicast(unsigned long long at) {
  return at;
}
__BANKMODEL_D unsigned __cluster_query_shared_rank(const void* at) {
  unsigned rank;
  asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(at));
  return rank;
}
__BANKMODEL_D void __cluster_barrier_arrive() {
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
}
__BANKMODEL_D void __cluster_barrier_arrive_relaxed() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
__BANKMODEL_D void __cluster_barrier_wait() {
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}
#endif
)prelude",
    // Cooperative groups.
    R"prelude(
namespace cooperative_groups {
struct thread_group {
  unsigned __threads, __rank;
  __attribute__((device)) unsigned size() const { return __threads; }
  __attribute__((device)) unsigned num_threads() const { return __threads; }
  __attribute__((device)) unsigned thread_rank() const { return __rank; }
  __attribute__((device)) void sync() const {
    if (__threads > warpSize) __bankmodel_barrier(); else __bankmodel_warp_sync();
  }
};
struct thread_block {
  static __attribute__((device)) unsigned size() {
    return blockDim.x * blockDim.y * blockDim.z;
  }
  static __attribute__((device)) unsigned num_threads() { return size(); }
  static __attribute__((device)) unsigned thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  static __attribute__((device)) uint3 group_index() { return blockIdx; }
  static __attribute__((device)) uint3 thread_index() { return threadIdx; }
  static __attribute__((device)) dim3 group_dim() { return blockDim; }
  static __attribute__((device)) dim3 dim_threads() { return blockDim; }
  static __attribute__((device)) void sync() { __bankmodel_barrier(); }
  __attribute__((device)) operator thread_group() const { return {size(), thread_rank()}; }
};
struct grid_group {
  static __attribute__((device)) unsigned long long size() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * thread_block::size();
  }
  static __attribute__((device)) unsigned long long thread_rank() {
    return ((unsigned long long)(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) *
               thread_block::size() + thread_block::thread_rank();
  }
  static __attribute__((device)) unsigned long long num_threads() { return size(); }
  static __attribute__((device)) dim3 dim_blocks() { return gridDim; }
  static __attribute__((device)) dim3 block_index() { return blockIdx; }
  static __attribute__((device)) unsigned long long num_blocks() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
  }
  static __attribute__((device)) unsigned long long block_rank() {
    return (unsigned long long)(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  static __attribute__((device)) bool is_valid() { return true; }
  static __attribute__((device)) void sync() { __bankmodel_barrier(); }
};
struct multi_grid_group : grid_group {};
#ifndef __HIP__
struct cluster_group {
  struct arrival_token {};
  static __attribute__((device)) dim3 block_index() { return __clusterRelativeBlockIdx(); }
  static __attribute__((device)) unsigned block_rank() { return __clusterRelativeBlockRank(); }
  static __attribute__((device)) dim3 dim_blocks() { return __clusterDim(); }
  static __attribute__((device)) unsigned num_blocks() { return __clusterSizeInBlocks(); }
  static __attribute__((device)) dim3 dim_threads() {
    const dim3 blocks = dim_blocks();
    return {blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z};
  }
  static __attribute__((device)) unsigned num_threads() {
    return num_blocks() * thread_block::size();
  }
  static __attribute__((device)) unsigned size() { return num_threads(); }
  static __attribute__((device)) dim3 thread_index() {
    const dim3 block = block_index();
    return {block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y,
            block.z * blockDim.z + threadIdx.z};
  }
  static __attribute__((device)) unsigned thread_rank() {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
  static __attribute__((device)) void sync() {
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
  }
  static __attribute__((device)) arrival_token barrier_arrive() {
    __cluster_barrier_arrive();
    return {};
  }
  static __attribute__((device)) void barrier_wait() { __cluster_barrier_wait(); }
  static __attribute__((device)) void barrier_wait(arrival_token&&) { __cluster_barrier_wait(); }
  template <class T> static __attribute__((device)) T* map_shared_rank(T* from, int rank) {
    return (T*)__cluster_map_shared_rank(from, (unsigned)rank);
  }
  static __attribute__((device)) unsigned query_shared_rank(const void* at) {
    return __cluster_query_shared_rank(at);
  }
};
__BANKMODEL_D cluster_group this_cluster() { return {}; }
#endif
template <unsigned Size> struct block_tile_memory {
  char __bytes[Size / 32 * 8 + 8];
};
template <unsigned Size, class Parent = void>
struct thread_block_tile {
  thread_block_tile() = default;
  template <class Other>
  __attribute__((device)) thread_block_tile(const thread_block_tile<Size, Other>&) {}
  static __attribute__((device)) unsigned size() { return Size; }
  static __attribute__((device)) unsigned num_threads() { return Size; }
  static __attribute__((device)) unsigned thread_rank() {
    return thread_block::thread_rank() % Size;
  }
  static __attribute__((device)) unsigned meta_group_rank() {
    return thread_block::thread_rank() / Size;
  }
  static __attribute__((device)) unsigned meta_group_size() {
    return (thread_block::size() + Size - 1) / Size;
  }
  static __attribute__((device)) void sync() {
    if (Size > warpSize) return __bankmodel_barrier();
    __bankmodel_meet(__lanes());
    __bankmodel_warp_sync();
  }
  template <class T> __attribute__((device)) T shfl(T v, int lane) const {
    __bankmodel_meet(__lanes());
    return __bankmodel_do_index(v, lane, Size);
  }
  template <class T> __attribute__((device)) T shfl_up(T v, int by) const {
    __bankmodel_meet(__lanes());
    return __bankmodel_do_up(v, by, Size);
  }
  template <class T> __attribute__((device)) T shfl_down(T v, int by) const {
    __bankmodel_meet(__lanes());
    return __bankmodel_do_down(v, by, Size);
  }
  template <class T> __attribute__((device)) T shfl_xor(T v, int by) const {
    __bankmodel_meet(__lanes());
    return __bankmodel_do_butterfly(v, by, Size);
  }
  // Of the tile, which may be a part of a warp.
  static __attribute__((device)) unsigned __first() {
    return Size < warpSize ? __bankmodel_special_lane() / Size * Size : 0;
  }
  static __attribute__((device)) unsigned long long __lanes() {
    return (~0ull >> (Size < warpSize ? 64 - Size : 0)) << __first();
  }
  static __attribute__((device)) int any(int p) {
    return __bankmodel_vote_any_sync(p, __lanes());
  }
  static __attribute__((device)) int all(int p) {
    return __bankmodel_vote_all_sync(p, __lanes());
  }
  static __attribute__((device)) auto ballot(int p) {
    return __ballot_sync(__lanes(), p) >> __first();
  }
  __attribute__((device)) operator thread_group() const { return {Size, thread_rank()}; }
};
// Which lanes such a group has is known to a run alone. A value of them is so, too, and needs what
// the lanes give.
template <class T, class... Given> __attribute__((device)) T __value_of_a_run(Given...);
struct coalesced_group : thread_group {
  __attribute__((device)) unsigned meta_group_rank() const { return __value_of_a_run<unsigned>(); }
  __attribute__((device)) unsigned meta_group_size() const { return __value_of_a_run<unsigned>(); }
  __attribute__((device)) void sync() const { __bankmodel_warp_sync(); }
  template <class T> __attribute__((device)) T shfl(T v, int) const {
    __bankmodel_warp_sync();
    return __value_of_a_run<T>(v);
  }
  template <class T> __attribute__((device)) T shfl_up(T v, int) const { return shfl(v, 0); }
  template <class T> __attribute__((device)) T shfl_down(T v, int) const { return shfl(v, 0); }
  template <class T> __attribute__((device)) T shfl_xor(T v, int) const { return shfl(v, 0); }
  __attribute__((device)) int any(int p) const { return shfl(p, 0); }
  __attribute__((device)) int all(int p) const { return shfl(p, 0); }
  __attribute__((device)) unsigned ballot(int p) const { return (unsigned)shfl(p, 0); }
  template <class T> __attribute__((device)) unsigned match_any(T v) const {
    return (unsigned)shfl(v, 0);
  }
};
__BANKMODEL_D thread_block this_thread_block() { return {}; }
template <unsigned Size>
__BANKMODEL_D thread_block this_thread_block(block_tile_memory<Size>&) { return {}; }
__BANKMODEL_D grid_group this_grid() { return {}; }
__BANKMODEL_O unsigned __bankmodel_active_count();
__BANKMODEL_O unsigned __bankmodel_active_rank();
__BANKMODEL_D coalesced_group coalesced_threads() {
  coalesced_group result;
  result.__threads = __bankmodel_active_count();
  result.__rank = __bankmodel_active_rank();
  return result;
}
// The parts of a group whose threads give the same label, or the same truth.
template <class Group, class T>
__BANKMODEL_D coalesced_group labeled_partition(const Group&, T label) {
  __value_of_a_run<unsigned>(label);
  return coalesced_threads();
}
template <class Group>
__BANKMODEL_D coalesced_group binary_partition(const Group& group, bool value) {
  return labeled_partition(group, value);
}
template <unsigned Size, class Parent>
__BANKMODEL_D thread_block_tile<Size, Parent> tiled_partition(const Parent&) { return {}; }
__BANKMODEL_D thread_group tiled_partition(const thread_group& parent, unsigned size) {
  return {size, parent.__rank % size};
}
template <class Group> __BANKMODEL_D void sync(const Group& group) { group.sync(); }
template <class T> struct plus {
  __attribute__((device)) T operator()(T a, T b) const { return a + b; }
};
template <class T> struct greater {
  __attribute__((device)) T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T> struct less {
  __attribute__((device)) T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T> struct bit_and {
  __attribute__((device)) T operator()(T a, T b) const { return a & b; }
};
template <class T> struct bit_or {
  __attribute__((device)) T operator()(T a, T b) const { return a | b; }
};
template <class T> struct bit_xor {
  __attribute__((device)) T operator()(T a, T b) const { return a ^ b; }
};
// Its functions are those of lanes together: with a value that no lane knows alone.
template <class T, class Function>
__BANKMODEL_D T reduce(const coalesced_group& group, T value, Function) {
  return group.shfl(value, 0);
}
template <class T, class Function>
__BANKMODEL_D T inclusive_scan(const coalesced_group& group, T value, Function) {
  return group.shfl(value, 0);
}
template <class T, class Function>
__BANKMODEL_D T exclusive_scan(const coalesced_group& group, T value, Function) {
  return group.shfl(value, 0);
}
template <class T> __BANKMODEL_D T inclusive_scan(const coalesced_group& group, T value) {
  return group.shfl(value, 0);
}
template <class T> __BANKMODEL_D T exclusive_scan(const coalesced_group& group, T value) {
  return group.shfl(value, 0);
}
template <unsigned Size, class Parent, class T, class Function>
__BANKMODEL_D T inclusive_scan(const thread_block_tile<Size, Parent>& tile, T value,
                               Function function) {
  for (unsigned by = 1; by < Size; by *= 2) {
    const T other = tile.shfl_up(value, by);
    if (tile.thread_rank() >= by) value = function(other, value);
  }
  return value;
}
template <unsigned Size, class Parent, class T>
__BANKMODEL_D T inclusive_scan(const thread_block_tile<Size, Parent>& tile, T value) {
  return inclusive_scan(tile, value, plus<T>());
}
template <unsigned Size, class Parent, class T, class Function>
__BANKMODEL_D T exclusive_scan(const thread_block_tile<Size, Parent>& tile, T value,
                               Function function) {
  const T other = tile.shfl_up(inclusive_scan(tile, value, function), 1);
  return tile.thread_rank() == 0 ? T() : other;
}
template <unsigned Size, class Parent, class T>
__BANKMODEL_D T exclusive_scan(const thread_block_tile<Size, Parent>& tile, T value) {
  return exclusive_scan(tile, value, plus<T>());
}
// A copy is made in pieces of the known alignment, which a size may have in its type. With less
// than 4 bytes the pieces are chosen by the addresses, and what is copied is not counted.
template <class T> struct __alignment { enum : size_t { value = alignof(T), is_hint = 0 }; };
template <> struct __alignment<void> { enum : size_t { value = 1, is_hint = 0 }; };
template <template <size_t> class Aligned, size_t N> struct __alignment<Aligned<N>> {
  enum : size_t { value = N, is_hint = 1 };
};
template <class Group> struct __is_tile { enum { value = 0 }; };
template <unsigned Size, class Parent> struct __is_tile<thread_block_tile<Size, Parent>> {
  enum { value = Size > 1 };
};
__attribute__((device)) void memcpy_async_without_alignment(void*, const void*, size_t);
template <size_t Alignment, class Group>
__BANKMODEL_D void __copy_aligned(const Group& group, char* to, const char* from, size_t bytes) {
  constexpr size_t piece = Alignment > 16 ? 16 : Alignment;
  const unsigned stride = group.size(), rank = group.thread_rank();
  const size_t count = bytes / piece;
  if constexpr (piece < 4) {
    memcpy_async_without_alignment(to, from, bytes);
  } else if constexpr (__is_tile<Group>::value) {  // all of its threads copy each time
    const unsigned rest = (unsigned)count & (stride - 1);
    const size_t whole = count - rest;
    for (size_t i = 0; i < whole; i += stride)
      __pipeline_memcpy_async(to + (i + rank) * piece, from + (i + rank) * piece, piece);
    if (rest != 0) {
      const size_t i = whole + (rank < rest ? rank : rest - 1);
      __pipeline_memcpy_async(to + i * piece, from + i * piece, piece);
    }
  } else {
    for (size_t i = rank; i < count; i += stride)
      __pipeline_memcpy_async(to + i * piece, from + i * piece, piece);
  }
}
template <class Group, class T, class Size>
__BANKMODEL_D void memcpy_async(const Group& group, T* to,
                                typename __bankmodel_same<const T>::type* from, const Size& bytes) {
  constexpr size_t alignment =
      __alignment<Size>::is_hint ? __alignment<Size>::value : __alignment<T>::value;
  __copy_aligned<alignment>(group, (char*)to, (const char*)from, (size_t)bytes);
}
// Of so many elements.
template <class Group, class T, class To, class From>
__BANKMODEL_D void memcpy_async(const Group& group, T* to, const To& most,
                                typename __bankmodel_same<const T>::type* from,
                                const From& count) {
  constexpr size_t alignment =
      __alignment<To>::is_hint ? __alignment<To>::value : __alignment<T>::value;
  const size_t elements = (size_t)count < (size_t)most ? (size_t)count : (size_t)most;
  __copy_aligned<alignment>(group, (char*)to, (const char*)from, elements * sizeof(T));
}
template <class Group> __BANKMODEL_D void wait(const Group& group) { group.sync(); }
template <unsigned Stages, class Group> __BANKMODEL_D void wait_prior(const Group& group) {
  group.sync();
}
template <unsigned Size, class Parent, class T, class Function>
__BANKMODEL_D T reduce(const thread_block_tile<Size, Parent>& tile, T value, Function function) {
  for (unsigned by = Size / 2; by > 0; by /= 2) value = function(value, tile.shfl_xor(value, by));
  return value;
}
}  // namespace cooperative_groups
)prelude",
    // Host functions and types, so that host code with launches is parsed.
    R"prelude(
enum cudaError {
  cudaSuccess, cudaErrorInvalidValue, cudaErrorMemoryAllocation, cudaErrorInitializationError,
  cudaErrorCudartUnloading, cudaErrorProfilerDisabled, cudaErrorProfilerNotInitialized,
  cudaErrorProfilerAlreadyStarted, cudaErrorProfilerAlreadyStopped, cudaErrorInvalidConfiguration,
  cudaErrorInvalidPitchValue = 12, cudaErrorInvalidSymbol, cudaErrorInvalidHostPointer = 16,
  cudaErrorInvalidDevicePointer, cudaErrorInvalidTexture, cudaErrorInvalidTextureBinding,
  cudaErrorInvalidChannelDescriptor, cudaErrorInvalidMemcpyDirection, cudaErrorAddressOfConstant,
  cudaErrorTextureFetchFailed, cudaErrorTextureNotBound, cudaErrorSynchronizationError,
  cudaErrorInvalidFilterSetting, cudaErrorInvalidNormSetting, cudaErrorMixedDeviceExecution,
  cudaErrorNotYetImplemented = 31, cudaErrorMemoryValueTooLarge, cudaErrorStubLibrary = 34,
  cudaErrorInsufficientDriver, cudaErrorCallRequiresNewerDriver, cudaErrorInvalidSurface,
  cudaErrorDuplicateVariableName = 43, cudaErrorDuplicateTextureName, cudaErrorDuplicateSurfaceName,
  cudaErrorDevicesUnavailable, cudaErrorIncompatibleDriverContext = 49,
  cudaErrorMissingConfiguration = 52, cudaErrorPriorLaunchFailure,
  cudaErrorLaunchMaxDepthExceeded = 65, cudaErrorLaunchFileScopedTex, cudaErrorLaunchFileScopedSurf,
  cudaErrorSyncDepthExceeded, cudaErrorLaunchPendingCountExceeded,
  cudaErrorInvalidDeviceFunction = 98, cudaErrorNoDevice = 100, cudaErrorInvalidDevice,
  cudaErrorDeviceNotLicensed, cudaErrorSoftwareValidityNotEstablished,
  cudaErrorStartupFailure = 127, cudaErrorInvalidKernelImage = 200, cudaErrorDeviceUninitialized,
  cudaErrorMapBufferObjectFailed = 205, cudaErrorUnmapBufferObjectFailed, cudaErrorArrayIsMapped,
  cudaErrorAlreadyMapped, cudaErrorNoKernelImageForDevice, cudaErrorAlreadyAcquired,
  cudaErrorNotMapped, cudaErrorNotMappedAsArray, cudaErrorNotMappedAsPointer,
  cudaErrorECCUncorrectable, cudaErrorUnsupportedLimit, cudaErrorDeviceAlreadyInUse,
  cudaErrorPeerAccessUnsupported, cudaErrorInvalidPtx, cudaErrorInvalidGraphicsContext,
  cudaErrorNvlinkUncorrectable, cudaErrorJitCompilerNotFound, cudaErrorUnsupportedPtxVersion,
  cudaErrorJitCompilationDisabled, cudaErrorUnsupportedExecAffinity,
  cudaErrorUnsupportedDevSideSync, cudaErrorContained, cudaErrorInvalidSource = 300,
  cudaErrorFileNotFound, cudaErrorSharedObjectSymbolNotFound, cudaErrorSharedObjectInitFailed,
  cudaErrorOperatingSystem, cudaErrorInvalidResourceHandle = 400, cudaErrorIllegalState,
  cudaErrorLossyQuery, cudaErrorSymbolNotFound = 500, cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700, cudaErrorLaunchOutOfResources, cudaErrorLaunchTimeout,
  cudaErrorLaunchIncompatibleTexturing, cudaErrorPeerAccessAlreadyEnabled,
  cudaErrorPeerAccessNotEnabled, cudaErrorSetOnActiveProcess = 708, cudaErrorContextIsDestroyed,
  cudaErrorAssert, cudaErrorTooManyPeers, cudaErrorHostMemoryAlreadyRegistered,
  cudaErrorHostMemoryNotRegistered, cudaErrorHardwareStackError, cudaErrorIllegalInstruction,
  cudaErrorMisalignedAddress, cudaErrorInvalidAddressSpace, cudaErrorInvalidPc,
  cudaErrorLaunchFailure, cudaErrorCooperativeLaunchTooLarge, cudaErrorTensorMemoryLeak,
  cudaErrorNotPermitted = 800, cudaErrorNotSupported, cudaErrorSystemNotReady,
  cudaErrorSystemDriverMismatch, cudaErrorCompatNotSupportedOnDevice, cudaErrorMpsConnectionFailed,
  cudaErrorMpsRpcFailure, cudaErrorMpsServerNotReady, cudaErrorMpsMaxClientsReached,
  cudaErrorMpsMaxConnectionsReached, cudaErrorMpsClientTerminated, cudaErrorCdpNotSupported,
  cudaErrorCdpVersionMismatch, cudaErrorStreamCaptureUnsupported = 900,
  cudaErrorStreamCaptureInvalidated, cudaErrorStreamCaptureMerge, cudaErrorStreamCaptureUnmatched,
  cudaErrorStreamCaptureUnjoined, cudaErrorStreamCaptureIsolation, cudaErrorStreamCaptureImplicit,
  cudaErrorCapturedEvent, cudaErrorStreamCaptureWrongThread, cudaErrorTimeout,
  cudaErrorGraphExecUpdateFailure, cudaErrorExternalDevice, cudaErrorInvalidClusterSize,
  cudaErrorFunctionNotLoaded, cudaErrorInvalidResourceType, cudaErrorInvalidResourceConfiguration,
  cudaErrorUnknown = 999, cudaErrorApiFailureBase = 10000
};
typedef cudaError cudaError_t;
enum cudaMemcpyKind {
  cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
struct CUstream_st;
struct CUevent_st;
typedef CUstream_st* cudaStream_t;
typedef CUevent_st* cudaEvent_t;
struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerMultiprocessor, sharedMemPerBlockOptin;
  size_t totalConstMem, memPitch, textureAlignment, reservedSharedMemPerBlock;
  int maxThreadsDim[3], maxGridSize[3];
  int major, minor, multiProcessorCount, warpSize, maxThreadsPerBlock, maxThreadsPerMultiProcessor;
  int concurrentKernels, cooperativeLaunch, clockRate, regsPerBlock, regsPerMultiprocessor;
  int l2CacheSize, memoryClockRate, memoryBusWidth, integrated, canMapHostMemory, computeMode;
  int deviceOverlap, asyncEngineCount, kernelExecTimeoutEnabled, unifiedAddressing, managedMemory;
  int ECCEnabled, pciBusID, pciDeviceID, maxBlocksPerMultiProcessor, concurrentManagedAccess;
  int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
};
typedef cudaDeviceProp hipDeviceProp_t;
extern "C" int cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
extern "C" int hipConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void* = 0);
extern "C" unsigned __hipPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = 0);
struct cudaGraphicsResource;
typedef cudaGraphicsResource* cudaGraphicsResource_t;
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrWarpSize = 10, cudaDevAttrMultiProcessorCount = 16, cudaDevAttrComputeMode = 20,
  cudaDevAttrComputeCapabilityMajor = 75, cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrCooperativeLaunch = 95, cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
  cudaDevAttrClockRate = 13, cudaDevAttrIntegrated = 18, cudaDevAttrL2CacheSize = 38,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39, cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrMaxRegistersPerBlock = 12, cudaDevAttrMaxRegistersPerMultiprocessor = 82,
  cudaDevAttrConcurrentManagedAccess = 89, cudaDevAttrMaxBlocksPerMultiprocessor = 106,
  cudaDevAttrMaxPersistingL2CacheSize = 108, cudaDevAttrMemoryPoolsSupported = 115,
  cudaDevAttrClusterLaunch = 120, cudaDevAttrIpcEventSupport = 125,
  cudaDevAttrMaxBlockDimX = 2, cudaDevAttrMaxBlockDimY, cudaDevAttrMaxBlockDimZ,
  cudaDevAttrMaxGridDimX, cudaDevAttrMaxGridDimY, cudaDevAttrMaxGridDimZ,
  cudaDevAttrTotalConstantMemory = 9, cudaDevAttrMaxPitch = 11, cudaDevAttrTextureAlignment = 14,
  cudaDevAttrGpuOverlap, cudaDevAttrKernelExecTimeout = 17, cudaDevAttrCanMapHostMemory = 19,
  cudaDevAttrMaxTexture1DWidth = 21, cudaDevAttrMaxTexture2DWidth, cudaDevAttrMaxTexture2DHeight,
  cudaDevAttrMaxTexture3DWidth, cudaDevAttrMaxTexture3DHeight, cudaDevAttrMaxTexture3DDepth,
  cudaDevAttrMaxTexture2DLayeredWidth, cudaDevAttrMaxTexture2DLayeredHeight,
  cudaDevAttrMaxTexture2DLayeredLayers, cudaDevAttrSurfaceAlignment, cudaDevAttrConcurrentKernels,
  cudaDevAttrEccEnabled, cudaDevAttrPciBusId, cudaDevAttrPciDeviceId, cudaDevAttrTccDriver,
  cudaDevAttrMemoryClockRate, cudaDevAttrGlobalMemoryBusWidth, cudaDevAttrAsyncEngineCount = 40,
  cudaDevAttrUnifiedAddressing, cudaDevAttrMaxTexture1DLayeredWidth,
  cudaDevAttrMaxTexture1DLayeredLayers, cudaDevAttrMaxTexture2DGatherWidth = 45,
  cudaDevAttrMaxTexture2DGatherHeight, cudaDevAttrMaxTexture3DWidthAlt,
  cudaDevAttrMaxTexture3DHeightAlt, cudaDevAttrMaxTexture3DDepthAlt, cudaDevAttrPciDomainId,
  cudaDevAttrTexturePitchAlignment, cudaDevAttrMaxTextureCubemapWidth,
  cudaDevAttrMaxTextureCubemapLayeredWidth, cudaDevAttrMaxTextureCubemapLayeredLayers,
  cudaDevAttrMaxSurface1DWidth, cudaDevAttrMaxSurface2DWidth, cudaDevAttrMaxSurface2DHeight,
  cudaDevAttrMaxSurface3DWidth, cudaDevAttrMaxSurface3DHeight, cudaDevAttrMaxSurface3DDepth,
  cudaDevAttrMaxSurface1DLayeredWidth, cudaDevAttrMaxSurface1DLayeredLayers,
  cudaDevAttrMaxSurface2DLayeredWidth, cudaDevAttrMaxSurface2DLayeredHeight,
  cudaDevAttrMaxSurface2DLayeredLayers, cudaDevAttrMaxSurfaceCubemapWidth,
  cudaDevAttrMaxSurfaceCubemapLayeredWidth, cudaDevAttrMaxSurfaceCubemapLayeredLayers,
  cudaDevAttrMaxTexture1DLinearWidth, cudaDevAttrMaxTexture2DLinearWidth,
  cudaDevAttrMaxTexture2DLinearHeight, cudaDevAttrMaxTexture2DLinearPitch,
  cudaDevAttrMaxTexture2DMipmappedWidth, cudaDevAttrMaxTexture2DMipmappedHeight,
  cudaDevAttrMaxTexture1DMipmappedWidth = 77, cudaDevAttrStreamPrioritiesSupported,
  cudaDevAttrGlobalL1CacheSupported, cudaDevAttrLocalL1CacheSupported,
  cudaDevAttrManagedMemory = 83, cudaDevAttrIsMultiGpuBoard, cudaDevAttrMultiGpuBoardGroupID,
  cudaDevAttrHostNativeAtomicSupported, cudaDevAttrSingleToDoublePrecisionPerfRatio,
  cudaDevAttrPageableMemoryAccess, cudaDevAttrComputePreemptionSupported = 90,
  cudaDevAttrCanUseHostPointerForRegisteredMem, cudaDevAttrReserved92, cudaDevAttrReserved93,
  cudaDevAttrReserved94, cudaDevAttrReserved96 = 96, cudaDevAttrCanFlushRemoteWrites = 98,
  cudaDevAttrHostRegisterSupported, cudaDevAttrPageableMemoryAccessUsesHostPageTables,
  cudaDevAttrDirectManagedMemAccessFromHost, cudaDevAttrMaxAccessPolicyWindowSize = 109,
  cudaDevAttrReservedSharedMemoryPerBlock = 111, cudaDevAttrSparseCudaArraySupported,
  cudaDevAttrHostRegisterReadOnlySupported, cudaDevAttrTimelineSemaphoreInteropSupported,
  cudaDevAttrGPUDirectRDMASupported = 116, cudaDevAttrGPUDirectRDMAFlushWritesOptions,
  cudaDevAttrGPUDirectRDMAWritesOrdering, cudaDevAttrMemoryPoolSupportedHandleTypes,
  cudaDevAttrDeferredMappingCudaArraySupported = 121, cudaDevAttrReserved122,
  cudaDevAttrReserved123, cudaDevAttrReserved124, cudaDevAttrMemSyncDomainCount = 126,
  cudaDevAttrReserved127, cudaDevAttrReserved128, cudaDevAttrReserved129, cudaDevAttrNumaConfig,
  cudaDevAttrNumaId, cudaDevAttrReserved132, cudaDevAttrMpsEnabled, cudaDevAttrHostNumaId,
  cudaDevAttrD3D12CigSupported, cudaDevAttrVulkanCigSupported = 138, cudaDevAttrGpuPciDeviceId,
  cudaDevAttrGpuPciSubsystemId, cudaDevAttrReserved141, cudaDevAttrHostNumaMemoryPoolsSupported,
  cudaDevAttrHostNumaMultinodeIpcSupported, cudaDevAttrHostMemoryPoolsSupported,
  cudaDevAttrReserved145, cudaDevAttrOnlyPartialHostNativeAtomicSupported = 147, cudaDevAttrMax
};
// Device code has some of these too.
#pragma clang force_cuda_host_device begin
extern "C" {
const char* cudaGetErrorName(cudaError_t);
cudaError_t cudaDeviceGetAttribute(int*, cudaDeviceAttr, int);
const char* cudaGetErrorString(cudaError_t);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, size_t = 0, cudaStream_t = 0);
cudaError_t cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**, size_t = 0,
                                        cudaStream_t = 0);
cudaError_t cudaDeviceReset();
cudaError_t cudaSetDevice(int);
cudaError_t cudaGetDevice(int*);
cudaError_t cudaGetDeviceCount(int*);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp*, int);
cudaError_t cudaFree(void*);
cudaError_t cudaFreeHost(void*);
cudaError_t cudaMemcpy(void*, const void*, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void*, const void*, size_t, cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaMemset(void*, int, size_t);
cudaError_t cudaEventCreate(cudaEvent_t*);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float*, cudaEvent_t, cudaEvent_t);
cudaError_t cudaStreamCreate(cudaStream_t*);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
}
template <class... T>
cudaError_t cudaLaunchKernel(void (*)(T...), dim3, dim3, void**, size_t = 0, cudaStream_t = 0);
template <class... T>
cudaError_t cudaLaunchCooperativeKernel(void (*)(T...), dim3, dim3, void**, size_t = 0,
                                        cudaStream_t = 0);
template <class T> cudaError_t cudaMalloc(T**, size_t);
template <class F>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int*, int*, F, size_t = 0, int = 0);
template <class F>
cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int*, int*, F, size_t = 0, int = 0,
                                                        unsigned = 0);
template <class S, class F>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int*, int*, F, S, int = 0);
template <class S, class F>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int*, int*, F, S, int = 0,
                                                                    unsigned = 0);
#pragma clang force_cuda_host_device end
#ifndef __HIP__
__BANKMODEL_O void* cudaGetParameterBuffer(size_t, size_t);
__BANKMODEL_O void* cudaGetParameterBufferV2(void*, dim3, dim3, unsigned);
__BANKMODEL_O cudaError_t cudaLaunchDevice(void*, void*, dim3, dim3, unsigned, cudaStream_t);
__BANKMODEL_O cudaError_t cudaLaunchDeviceV2(void*, cudaStream_t);
__BANKMODEL_D void cudaGridDependencySynchronize() { asm volatile("griddepcontrol.wait;"); }
__BANKMODEL_D void cudaTriggerProgrammaticLaunchCompletion() {
  asm volatile("griddepcontrol.launch_dependents;");
}
#endif
template <class T> cudaError_t cudaMallocHost(T**, size_t, unsigned = 0);
template <class T> cudaError_t cudaMallocManaged(T**, size_t, unsigned = 0);
template <class T> cudaError_t cudaMemcpyToSymbol(const T&, const void*, size_t, size_t = 0);
template <class T> cudaError_t cudaFuncSetAttribute(T*, int, int);
template <class T> cudaError_t cudaFuncSetCacheConfig(T*, int);
enum { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
enum { cudaEventDefault, cudaEventBlockingSync, cudaEventDisableTiming };
// A launch names its stream.
#define cudaStreamDefault 0
#define cudaStreamNonBlocking 1
#define cudaStreamLegacy ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)
typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
#ifdef __HIP__
typedef cudaError_t hipError_t;
typedef cudaStream_t hipStream_t;
typedef cudaEvent_t hipEvent_t;
enum { hipSuccess = 0 };
enum hipMemcpyKind { hipMemcpyHostToDevice = 1, hipMemcpyDeviceToHost, hipMemcpyDeviceToDevice };
template <class T> hipError_t hipMalloc(T**, size_t, unsigned = 0);
template <class T> hipError_t hipHostMalloc(T**, size_t, unsigned = 0);
template <class T> hipError_t hipMallocManaged(T**, size_t, unsigned = 0);
extern "C" hipError_t hipFree(void*);
extern "C" hipError_t hipMemcpy(void*, const void*, size_t, hipMemcpyKind);
extern "C" hipError_t hipDeviceSynchronize();
extern "C" hipError_t hipGetLastError();
extern "C" const char* hipGetErrorString(hipError_t);
extern "C" hipError_t hipGetDevice(int*);
extern "C" hipError_t hipSetDevice(int);
extern "C" hipError_t hipGetDeviceCount(int*);
extern "C" hipError_t hipGetDeviceProperties(hipDeviceProp_t*, int);
extern "C" hipError_t hipMemset(void*, int, size_t);
template <class T>
__BANKMODEL_D T unsafeAtomicAdd(T* at, typename __bankmodel_same<T>::type value) {
  return __bankmodel_atomic(at, value);
}
enum { hipEventDefault, hipEventBlockingSync, hipEventDisableTiming };
#define hipStreamDefault 0
#define hipStreamNonBlocking 1
#define hipStreamPerThread ((hipStream_t)2)
#if !__has_builtin(__builtin_amdgcn_global_load_lds)
// A builtin that the machine has not cannot be declared either.
#define __builtin_amdgcn_global_load_lds __bankmodel_global_load_lds
__BANKMODEL_O void __bankmodel_global_load_lds(
    const void*, __attribute__((address_space(3))) void*, unsigned, int, unsigned)
    __asm__("__builtin_amdgcn_global_load_lds");
#endif
typedef __nv_bfloat16 __hip_bfloat16;
typedef __nv_bfloat162 __hip_bfloat162;
typedef __nv_bfloat16 hip_bfloat16;
#define hipLaunchKernelGGL(kernel, grid, block, bytes, stream, ...) \
  kernel<<<grid, block, bytes, stream>>>(__VA_ARGS__)
#define hipExtLaunchKernelGGL(kernel, grid, block, bytes, stream, begin, end, flags, ...) \
  kernel<<<grid, block, bytes, stream>>>(__VA_ARGS__)
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_DYNAMIC_SHARED(type, name) extern __attribute__((shared)) type name[];
#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z
#endif
)prelude",
};

constexpr std::string_view empty_headers =
    "cuda_runtime.h cuda_runtime_api.h cuda_device_runtime_api.h device_launch_parameters.h "
    "device_functions.h device_types.h driver_types.h vector_types.h vector_functions.h "
    "math_functions.h math_constants.h cooperative_groups.h cooperative_groups/reduce.h "
    "cuda_fp16.h cuda_bf16.h cuda_pipeline.h cuda_pipeline_primitives.h cuda_pipeline_helpers.h "
    "cuda_awbarrier.h cuda_awbarrier_primitives.h cuda_awbarrier_helpers.h cuda_profiler_api.h "
    "sm_60_atomic_functions.h host_config.h host_defines.h builtin_types.h driver_functions.h "
    "common_functions.h cuda_fp16.hpp cuda_bf16.hpp hip/hip_runtime.h hip/hip_runtime_api.h "
    "hip/hip_cooperative_groups.h hip/hip_fp16.h hip/hip_bf16.h hip/hip_vector_types.h "
    "hip/hip_ext.h hip/math_functions.h cooperative_groups/scan.h "
    "cooperative_groups/memcpy_async.h crt/device_functions.h crt/host_config.h crt/host_defines.h "
    "crt/math_functions.h cuda_texture_types.h texture_types.h texture_fetch_functions.h "
    "surface_types.h channel_descriptor.h curand.h curand_kernel.h hiprand/hiprand.h "
    "hiprand/hiprand_kernel.h curand_uniform.h curand_normal.h nvToolsExt.h nvtx3/nvToolsExt.h";

}  // namespace

std::string prelude() {
  std::string result;
  for (const char* const& text : prelude_texts) {
    result += text;
    if (&text == &prelude_texts[vectors]) result += halves_prelude();
    if (&text == &prelude_texts[arithmetic]) result += words_prelude();
  }
  return result + amd_prelude() + library_prelude() + runtime_prelude() + enumerations_prelude() +
         host_functions_prelude();
}

std::vector<std::string_view> headers_in_prelude() { return words_in(empty_headers); }

}  // namespace compiled
