// SPDX-License-Identifier: MIT
#include "prelude.hpp"

namespace compiled {

// Headers of a toolkit that are read where a file includes them.
namespace {

// Numbers of 8, 6 and 4 bits: types, sizes and conversions are those of cuda_fp8.h, cuda_fp6.h and
// cuda_fp4.h, values are opaque.
const char fp8_text[] = R"prelude(
#pragma once
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;
enum { __BANKMODEL_E8M0 = 2 };
__BANKMODEL_M unsigned char __bankmodel_to_fp8(float, int, int);
__BANKMODEL_M unsigned short __bankmodel_from_fp8(unsigned char, int);
// Of 8 bits: whether it saturates, then the type; of fewer: the type, then how it is rounded.
#define __BANKMODEL_TO_NARROW(name, n, T, value, First, Second)                               \
  __BANKMODEL_HD __nv_fp##n##_storage_t name(const T x, const First a, const Second b) {      \
    return __bankmodel_to_fp8(value, a, b);                                                   \
  }
#define __BANKMODEL_TO_NARROW2(name, n, T, one, bits, first, second, First, Second)           \
  __BANKMODEL_HD __nv_fp##n##x2_storage_t name(const T x, const First a, const Second b) {    \
    return (__nv_fp##n##x2_storage_t)(one(first, a, b) | one(second, a, b) << bits);          \
  }
#define __BANKMODEL_CONVERSIONS(n, bits, First, Second, As)                                   \
  __BANKMODEL_TO_NARROW(__nv_cvt_double_to_fp##n, n, double, (float)x, First, Second)         \
  __BANKMODEL_TO_NARROW(__nv_cvt_float_to_fp##n, n, float, x, First, Second)                  \
  __BANKMODEL_TO_NARROW(__nv_cvt_halfraw_to_fp##n, n, __half_raw, (float)__half(x), First, Second) \
  __BANKMODEL_TO_NARROW(__nv_cvt_bfloat16raw_to_fp##n, n, __nv_bfloat16_raw,                  \
                        (float)__nv_bfloat16(x), First, Second)                               \
  __BANKMODEL_TO_NARROW2(__nv_cvt_double2_to_fp##n##x2, n, double2,                           \
                         __nv_cvt_double_to_fp##n, bits, x.x, x.y, First, Second)             \
  __BANKMODEL_TO_NARROW2(__nv_cvt_float2_to_fp##n##x2, n, float2, __nv_cvt_float_to_fp##n,    \
                         bits, x.x, x.y, First, Second)                                       \
  __BANKMODEL_TO_NARROW2(__nv_cvt_halfraw2_to_fp##n##x2, n, __half2_raw,                      \
                         __nv_cvt_halfraw_to_fp##n, bits, __half_raw{x.x}, __half_raw{x.y},   \
                         First, Second)                                                       \
  __BANKMODEL_TO_NARROW2(__nv_cvt_bfloat16raw2_to_fp##n##x2, n, __nv_bfloat162_raw,           \
                         __nv_cvt_bfloat16raw_to_fp##n, bits, __nv_bfloat16_raw{x.x},         \
                         __nv_bfloat16_raw{x.y}, First, Second)                               \
  __BANKMODEL_HD __half_raw __nv_cvt_fp##n##_to_halfraw(const __nv_fp##n##_storage_t x,       \
                                                        const As as) {                        \
    return {__bankmodel_from_fp8(x, as)};                                                     \
  }                                                                                           \
  __BANKMODEL_HD __half2_raw __nv_cvt_fp##n##x2_to_halfraw2(                                  \
      const __nv_fp##n##x2_storage_t x, const As as) {                                        \
    return {__bankmodel_from_fp8((unsigned char)(x & ((1 << bits) - 1)), as),                 \
            __bankmodel_from_fp8((unsigned char)(x >> bits), as)};                            \
  }
#define __BANKMODEL_NARROW_FROM(name, T, as)                                                  \
  __BANKMODEL_MEMBER explicit name(const T v)                                                 \
      : __x(__bankmodel_to_fp8((float)v, __NV_SATFINITE, as)) {}
#define __BANKMODEL_NARROW_TO(T, as)                                                          \
  __BANKMODEL_MEMBER explicit operator T() const {                                            \
    return (T)(float)__half(__half_raw{__bankmodel_from_fp8(__x, as)});                       \
  }
#define __BANKMODEL_PAIR(n, bits, as, a, b)                                                   \
  (__nv_fp##n##x2_storage_t)(__bankmodel_to_fp8(a, __NV_SATFINITE, as) |                      \
                             __bankmodel_to_fp8(b, __NV_SATFINITE, as) << bits)
#define __BANKMODEL_HALVES(n, bits, as, x)                                                    \
  __half2(__half2_raw{                                                                        \
      __bankmodel_from_fp8((unsigned char)((x) & ((1 << bits) - 1)), as),                     \
      __bankmodel_from_fp8((unsigned char)((__nv_fp##n##x2_storage_t)(x) >> bits), as)})
// `bits`: from one number of a pair to the next.
#define __BANKMODEL_NARROW(n, kind, bits, as)                                                 \
  struct __nv_fp##n##_##kind {                                                                \
    __nv_fp##n##_storage_t __x;                                                               \
    __nv_fp##n##_##kind() = default;                                                          \
    __BANKMODEL_NARROW_FROM(__nv_fp##n##_##kind, __half, as)                                  \
    __BANKMODEL_NARROW_FROM(__nv_fp##n##_##kind, __nv_bfloat16, as)                           \
    __BANKMODEL_NARROW_FROM(__nv_fp##n##_##kind, float, as)                                   \
    __BANKMODEL_NARROW_FROM(__nv_fp##n##_##kind, double, as)                                  \
    __BANKMODEL_NARROW_FROM(__nv_fp##n##_##kind, short, as)                                   \
    __BANKMODEL_NARROW_FROM(__nv_fp##n##_##kind, unsigned short, as)                          \
    __BANKMODEL_NARROW_FROM(__nv_fp##n##_##kind, int, as)                                     \
    __BANKMODEL_NARROW_FROM(__nv_fp##n##_##kind, unsigned, as)                                \
    __BANKMODEL_NARROW_FROM(__nv_fp##n##_##kind, long, as)                                    \
    __BANKMODEL_NARROW_FROM(__nv_fp##n##_##kind, unsigned long, as)                           \
    __BANKMODEL_NARROW_FROM(__nv_fp##n##_##kind, long long, as)                               \
    __BANKMODEL_NARROW_FROM(__nv_fp##n##_##kind, unsigned long long, as)                      \
    __BANKMODEL_NARROW_TO(__half, as) __BANKMODEL_NARROW_TO(__nv_bfloat16, as)                \
    __BANKMODEL_NARROW_TO(float, as) __BANKMODEL_NARROW_TO(double, as)                        \
    __BANKMODEL_NARROW_TO(signed char, as) __BANKMODEL_NARROW_TO(unsigned char, as)           \
    __BANKMODEL_NARROW_TO(char, as) __BANKMODEL_NARROW_TO(short, as)                          \
    __BANKMODEL_NARROW_TO(unsigned short, as) __BANKMODEL_NARROW_TO(int, as)                  \
    __BANKMODEL_NARROW_TO(unsigned, as) __BANKMODEL_NARROW_TO(long, as)                       \
    __BANKMODEL_NARROW_TO(unsigned long, as) __BANKMODEL_NARROW_TO(long long, as)             \
    __BANKMODEL_NARROW_TO(unsigned long long, as) __BANKMODEL_NARROW_TO(bool, as)             \
  };                                                                                          \
  struct __attribute__((aligned(sizeof(__nv_fp##n##x2_storage_t)))) __nv_fp##n##x2_##kind {   \
    __nv_fp##n##x2_storage_t __x;                                                             \
    __nv_fp##n##x2_##kind() = default;                                                        \
    __BANKMODEL_MEMBER explicit __nv_fp##n##x2_##kind(const __half2 v)                        \
        : __x(__BANKMODEL_PAIR(n, bits, as, (float)v.x, (float)v.y)) {}                       \
    __BANKMODEL_MEMBER explicit __nv_fp##n##x2_##kind(const __nv_bfloat162 v)                 \
        : __x(__BANKMODEL_PAIR(n, bits, as, (float)v.x, (float)v.y)) {}                       \
    __BANKMODEL_MEMBER explicit __nv_fp##n##x2_##kind(const float2 v)                         \
        : __x(__BANKMODEL_PAIR(n, bits, as, v.x, v.y)) {}                                     \
    __BANKMODEL_MEMBER explicit __nv_fp##n##x2_##kind(const double2 v)                        \
        : __x(__BANKMODEL_PAIR(n, bits, as, (float)v.x, (float)v.y)) {}                       \
    __BANKMODEL_MEMBER explicit operator __half2() const {                                    \
      return __BANKMODEL_HALVES(n, bits, as, __x);                                            \
    }                                                                                         \
    __BANKMODEL_MEMBER explicit operator __nv_bfloat162() const {                             \
      return __float22bfloat162_rn(__half22float2(__BANKMODEL_HALVES(n, bits, as, __x)));     \
    }                                                                                         \
    __BANKMODEL_MEMBER explicit operator float2() const {                                     \
      return __half22float2(__BANKMODEL_HALVES(n, bits, as, __x));                            \
    }                                                                                         \
  };                                                                                          \
  struct __attribute__((aligned(sizeof(__nv_fp##n##x4_storage_t)))) __nv_fp##n##x4_##kind {   \
    __nv_fp##n##x4_storage_t __x;                                                             \
    __nv_fp##n##x4_##kind() = default;                                                        \
    __BANKMODEL_MEMBER explicit __nv_fp##n##x4_##kind(const __half2 a, const __half2 b)       \
        : __x(__nv_fp##n##x2_##kind(a).__x |                                                  \
              (unsigned)__nv_fp##n##x2_##kind(b).__x << 2 * bits) {}                          \
    __BANKMODEL_MEMBER explicit __nv_fp##n##x4_##kind(const __nv_bfloat162 a,                 \
                                                      const __nv_bfloat162 b)                 \
        : __x(__nv_fp##n##x2_##kind(a).__x |                                                  \
              (unsigned)__nv_fp##n##x2_##kind(b).__x << 2 * bits) {}                          \
    __BANKMODEL_MEMBER explicit __nv_fp##n##x4_##kind(const float4 v)                         \
        : __x(__nv_fp##n##x2_##kind(float2{v.x, v.y}).__x |                                   \
              (unsigned)__nv_fp##n##x2_##kind(float2{v.z, v.w}).__x << 2 * bits) {}           \
    __BANKMODEL_MEMBER explicit operator float4() const {                                     \
      const float2 a = __half22float2(__BANKMODEL_HALVES(n, bits, as, __x));                  \
      const float2 b = __half22float2(__BANKMODEL_HALVES(n, bits, as, __x >> 2 * bits));      \
      return {a.x, a.y, b.x, b.y};                                                            \
    }                                                                                         \
  };
__BANKMODEL_CONVERSIONS(8, 8, __nv_saturation_t, __nv_fp8_interpretation_t,
                        __nv_fp8_interpretation_t)
__BANKMODEL_NARROW(8, e5m2, 8, __NV_E5M2)
__BANKMODEL_NARROW(8, e4m3, 8, __NV_E4M3)
// Powers of two, which scale blocks of the others.
__BANKMODEL_NARROW(8, e8m0, 8, __BANKMODEL_E8M0)
#define __BANKMODEL_TO_SCALE(name, n, T, value)                                               \
  __BANKMODEL_HD __nv_fp8##n##storage_t name(const T x, const __nv_saturation_t,              \
                                             const cudaRoundMode) {                           \
    return value;                                                                             \
  }
__BANKMODEL_TO_SCALE(__nv_cvt_bfloat16raw_to_e8m0, _, __nv_bfloat16_raw,
                     __nv_fp8_e8m0(__nv_bfloat16(x)).__x)
__BANKMODEL_TO_SCALE(__nv_cvt_float_to_e8m0, _, float, __nv_fp8_e8m0(x).__x)
__BANKMODEL_TO_SCALE(__nv_cvt_double_to_e8m0, _, double, __nv_fp8_e8m0(x).__x)
__BANKMODEL_TO_SCALE(__nv_cvt_bfloat162raw_to_e8m0x2, x2_, __nv_bfloat162_raw,
                     __nv_fp8x2_e8m0(__nv_bfloat162(x)).__x)
__BANKMODEL_TO_SCALE(__nv_cvt_float2_to_e8m0x2, x2_, float2, __nv_fp8x2_e8m0(x).__x)
__BANKMODEL_TO_SCALE(__nv_cvt_double2_to_e8m0x2, x2_, double2, __nv_fp8x2_e8m0(x).__x)
__BANKMODEL_HD __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(const __nv_fp8_storage_t x) {
  __nv_fp8_e8m0 scale;
  scale.__x = x;
  return __nv_bfloat16_raw((__nv_bfloat16)scale);
}
__BANKMODEL_HD __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(const __nv_fp8x2_storage_t x) {
  __nv_fp8x2_e8m0 scales;
  scales.__x = x;
  return __nv_bfloat162_raw((__nv_bfloat162)scales);
}
typedef __nv_fp8_storage_t __hip_fp8_storage_t;
#define __BANKMODEL_FP8_OF_HIP(name, as)                   \
  struct name : as {                                       \
    using as::as;                                          \
    name() = default;                                      \
  };
__BANKMODEL_FP8_OF_HIP(__hip_fp8_e4m3, __nv_fp8_e4m3)
__BANKMODEL_FP8_OF_HIP(__hip_fp8_e5m2, __nv_fp8_e5m2)
__BANKMODEL_FP8_OF_HIP(__hip_fp8_e4m3_fnuz, __nv_fp8_e4m3)
__BANKMODEL_FP8_OF_HIP(__hip_fp8_e5m2_fnuz, __nv_fp8_e5m2)
)prelude";

const char fp6_text[] = R"prelude(
#pragma once
#include <cuda_fp8.h>
typedef unsigned char __nv_fp6_storage_t;
typedef unsigned short __nv_fp6x2_storage_t;
typedef unsigned __nv_fp6x4_storage_t;
typedef enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 } __nv_fp6_interpretation_t;
__BANKMODEL_CONVERSIONS(6, 8, __nv_fp6_interpretation_t, cudaRoundMode,
                        __nv_fp6_interpretation_t)
__BANKMODEL_NARROW(6, e2m3, 8, __NV_E2M3)
__BANKMODEL_NARROW(6, e3m2, 8, __NV_E3M2)
)prelude";

const char fp4_text[] = R"prelude(
#pragma once
#include <cuda_fp8.h>
typedef unsigned char __nv_fp4_storage_t;
typedef unsigned char __nv_fp4x2_storage_t;
typedef unsigned short __nv_fp4x4_storage_t;
typedef enum __nv_fp4_interpretation_t { __NV_E2M1 } __nv_fp4_interpretation_t;
__BANKMODEL_CONVERSIONS(4, 4, __nv_fp4_interpretation_t, cudaRoundMode,
                        __nv_fp4_interpretation_t)
__BANKMODEL_NARROW(4, e2m1, 4, __NV_E2M1)
)prelude";

// Complex numbers are pairs, with the functions of cuComplex.h and hip_complex.h.
const char complex_text[] = R"prelude(
#pragma once
#define __BANKMODEL_COMPLEX(c, f, Complex, Pair, Number)                                  \
  typedef Pair Complex;                                                                   \
  __BANKMODEL_HD Complex make_##Complex(Number re, Number im) { return {re, im}; }        \
  __BANKMODEL_HD Number c##Creal##f(Complex a) { return a.x; }                            \
  __BANKMODEL_HD Number c##Cimag##f(Complex a) { return a.y; }                            \
  __BANKMODEL_HD Complex c##Conj##f(Complex a) { return {a.x, -a.y}; }                    \
  __BANKMODEL_HD Complex c##Cadd##f(Complex a, Complex b) { return {a.x + b.x, a.y + b.y}; } \
  __BANKMODEL_HD Complex c##Csub##f(Complex a, Complex b) { return {a.x - b.x, a.y - b.y}; } \
  __BANKMODEL_HD Complex c##Cmul##f(Complex a, Complex b) {                               \
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                                \
  }                                                                                       \
  __BANKMODEL_HD Complex c##Cdiv##f(Complex a, Complex b) {                               \
    const Number n = b.x * b.x + b.y * b.y;                                               \
    return {(a.x * b.x + a.y * b.y) / n, (a.y * b.x - a.x * b.y) / n};                    \
  }                                                                                       \
  __BANKMODEL_HD Number c##Cabs##f(Complex a) { return hypot##f(a.x, a.y); }              \
  __BANKMODEL_HD Complex c##Cfma##f(Complex a, Complex b, Complex to) {                   \
    return c##Cadd##f(c##Cmul##f(a, b), to);                                              \
  }
#define __BANKMODEL_COMPLEX_TYPES(c, Single, Double, Default)                             \
  __BANKMODEL_COMPLEX(c, f, Single, float2, float)                                        \
  __BANKMODEL_COMPLEX(c, , Double, double2, double)                                       \
  typedef Single Default;                                                                 \
  __BANKMODEL_HD Default make_##Default(float re, float im) { return {re, im}; }          \
  __BANKMODEL_HD Double c##ComplexFloatToDouble(Single a) { return {a.x, a.y}; }          \
  __BANKMODEL_HD Single c##ComplexDoubleToFloat(Double a) { return {(float)a.x, (float)a.y}; }
#ifdef __HIP__
__BANKMODEL_COMPLEX_TYPES(hip, hipFloatComplex, hipDoubleComplex, hipComplex)
__BANKMODEL_HD float hipCsqabsf(hipFloatComplex a) { return a.x * a.x + a.y * a.y; }
__BANKMODEL_HD double hipCsqabs(hipDoubleComplex a) { return a.x * a.x + a.y * a.y; }
#else
__BANKMODEL_COMPLEX_TYPES(cu, cuFloatComplex, cuDoubleComplex, cuComplex)
#endif
)prelude";

// Matrices that a warp multiplies, as mma.h has them: the accesses are those of nvcc's machine
// code, compiled/code/matrix_fragments.hpp.
const char mma_text[] = R"prelude(
#pragma once
#include <cuda_bf16.h>
namespace nvcuda {
namespace wmma {
struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
}
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}
enum layout_t { mem_row_major, mem_col_major };
// `bits`: of an element in memory. `packed`: elements in one of x[..]. Of bfloat16, tf32 and double
// mma.h does not tell ptxas which memory the address is in.
template <class T> struct __element {
  typedef T type;
  enum { bits = 8 * sizeof(T), packed = 1, has_memory = 1 };
};
template <> struct __element<double> {
  typedef double type;
  enum { bits = 64, packed = 1, has_memory = 0 };
};
template <> struct __element<__nv_bfloat16> {
  typedef __nv_bfloat16 type;
  enum { bits = 16, packed = 1, has_memory = 0 };
};
template <> struct __element<precision::tf32> {
  typedef float type;
  enum { bits = 32, packed = 1, has_memory = 0 };
};
template <> struct __element<experimental::precision::u4> {
  typedef unsigned type;
  enum { bits = 4, packed = 8, has_memory = 1 };
};
template <> struct __element<experimental::precision::s4> {
  typedef int type;
  enum { bits = 4, packed = 8, has_memory = 1 };
};
template <> struct __element<experimental::precision::b1> {
  typedef unsigned type;
  enum { bits = 1, packed = 32, has_memory = 1 };
};
extern "C" __attribute__((device)) void __bankmodel_access_matrix(
    const void* first, unsigned long line, int use, int m, int n, int k, int bits, int is_integer,
    int is_row_major, int is_store, int has_memory, int machine);
__BANKMODEL_C float __bankmodel_element();
// What computes an element is needed where a matrix is multiplied or stored.
__BANKMODEL_O void __bankmodel_needed(float);
__BANKMODEL_O void __bankmodel_multiply_matrices(int m, int n, int k, int bits);

template <class Use, int M, int N, int K, class T, class Layout = void> struct fragment {
  typedef T element_type;
  typedef typename __element<T>::type storage_element_type;
  static constexpr bool is_sum = __is_same(Use, accumulator);
  // Parts of a and b of half are in two lanes.
  static constexpr int num_elements =
      is_sum ? M * N / 32
             : __is_same(T, half) ? 16 : (__is_same(Use, matrix_a) ? M * K : K * N) / 32;
  static constexpr int num_storage_elements = num_elements / __element<T>::packed;
  storage_element_type x[num_storage_elements];
};
template <class F, class T> __BANKMODEL_D void fill_fragment(F& to, const T& value) {
  for (int i = 0; i < F::num_storage_elements; ++i)
    to.x[i] = (typename F::storage_element_type)value;
}
template <class F> __BANKMODEL_D void __forget(F& one) {
  for (int i = 0; i < F::num_storage_elements; ++i)
    one.x[i] = (typename F::storage_element_type)__bankmodel_element();
}
template <class F> __BANKMODEL_D void __need(const F& one) {
  for (int i = 0; i < F::num_storage_elements; ++i) __bankmodel_needed((float)one.x[i]);
}
#ifdef __CUDA_ARCH__
enum { __machine = __CUDA_ARCH__ / 10 };
#else
enum { __machine = 0 };
#endif
template <class Use, int M, int N, int K, class T>
__BANKMODEL_D void __access_matrix(const void* first, unsigned stride, int is_row_major,
                                   int is_store) {
  typedef __element<T> element;
  __bankmodel_access_matrix(
      first, (unsigned long)stride * element::bits / 8,
      __is_same(Use, matrix_a) ? 0 : __is_same(Use, matrix_b) ? 1 : 2, M, N, K, element::bits,
      __is_same(T, int), is_row_major, is_store, element::has_memory, __machine);
}
template <class Use, int M, int N, int K, class T, class Layout, class E>
__BANKMODEL_D void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& to, const E* from,
                                    unsigned stride) {
  __bankmodel_warp_sync();
  __access_matrix<Use, M, N, K, T>(from, stride, __is_same(Layout, row_major), 0);
  __forget(to);
}
template <int M, int N, int K, class T, class E>
__BANKMODEL_D void store_matrix_sync(E* to, const fragment<accumulator, M, N, K, T>& from,
                                     unsigned stride, layout_t layout) {
  __bankmodel_warp_sync();
  __need(from);
  if (layout == mem_row_major)
    __access_matrix<accumulator, M, N, K, T>(to, stride, 1, 1);
  else
    __access_matrix<accumulator, M, N, K, T>(to, stride, 0, 1);
}
template <int M, int N, int K, class T, class E>
__BANKMODEL_D void load_matrix_sync(fragment<accumulator, M, N, K, T>& to, const E* from,
                                    unsigned stride, layout_t layout) {
  __bankmodel_warp_sync();
  if (layout == mem_row_major)
    __access_matrix<accumulator, M, N, K, T>(from, stride, 1, 0);
  else
    __access_matrix<accumulator, M, N, K, T>(from, stride, 0, 0);
  __forget(to);
}
template <class Use, int M, int N, int K, class T, class Layout>
__BANKMODEL_D void __multiply(const fragment<Use, M, N, K, T, Layout>&) {
  __bankmodel_multiply_matrices(M, N, K, __element<T>::bits);
}
template <class D, class A, class B, class C>
__BANKMODEL_D void mma_sync(D& to, const A& a, const B& b, const C& c) {
  __bankmodel_warp_sync();
  __need(a), __need(b), __need(c);
  __multiply(a);
  __forget(to);
}
template <class D, class A, class B, class C>
__BANKMODEL_D void mma_sync(D& to, const A& a, const B& b, const C& c, bool) {
  mma_sync(to, a, b, c);
}
template <class D, class A, class B, class C>
__BANKMODEL_D void bmma_sync(D& to, const A& a, const B& b, const C& c,
                             experimental::bmmaBitOp = experimental::bmmaBitOpXOR,
                             experimental::bmmaAccumulateOp =
                                 experimental::bmmaAccumulateOpPOPC) {
  mma_sync(to, a, b, c);
}
__BANKMODEL_D float __float_to_tf32(float v) { return v; }
}
}
)prelude";

// rocWMMA's matrices where the library is not there, which is said as of each missing header. The
// words that its loads and stores access depend on the machine and on the library's version, so
// pages name these and do not count them; with the library they are counted as any code.
// Source: ROCm/rocWMMA, library/include/rocwmma, io_traits.hpp for the elements of a lane.
const char rocwmma_text[] = R"prelude(
#pragma once
#include <stdint.h>
#include_next <rocwmma/rocwmma.hpp>
namespace rocwmma {
typedef _Float16 float16_t;
typedef float float32_t;
typedef double float64_t;
typedef __half hfloat16_t;
typedef hip_bfloat16 bfloat16_t;
using ::int8_t;
using ::int32_t;
using ::uint32_t;
struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
template <class Use, uint32_t M, uint32_t N, uint32_t K> struct __elements;
template <uint32_t M, uint32_t N, uint32_t K> struct __elements<matrix_a, M, N, K> {
  static constexpr uint32_t value = M * K;
};
template <uint32_t M, uint32_t N, uint32_t K> struct __elements<matrix_b, M, N, K> {
  static constexpr uint32_t value = K * N;
};
template <uint32_t M, uint32_t N, uint32_t K> struct __elements<accumulator, M, N, K> {
  static constexpr uint32_t value = M * N;
};
template <class Use, uint32_t M, uint32_t N, uint32_t K, class T, class Layout = void>
struct fragment {
  static constexpr uint32_t num_elements =
      __elements<Use, M, N, K>::value / __AMDGCN_WAVEFRONT_SIZE;
  T x[num_elements];
  __device__ static constexpr uint32_t size() { return num_elements; }
  __device__ T& operator[](uint32_t i) { return x[i]; }
  __device__ const T& operator[](uint32_t i) const { return x[i]; }
};
template <class F, class T> __device__ void fill_fragment(F& to, T value) {
  for (auto& one : to.x) one = value;
}
template <class F, class T> __device__ void load_matrix_sync(F& to, const T* from, uint32_t ld);
template <class F, class T>
__device__ void load_matrix_sync(F& to, const T* from, uint32_t ld, layout_t);
template <class F, class T> __device__ void store_matrix_sync(T* to, const F& from, uint32_t ld);
template <class F, class T>
__device__ void store_matrix_sync(T* to, const F& from, uint32_t ld, layout_t);
template <class D, class A, class B, class C>
__device__ void mma_sync(D& to, const A& a, const B& b, const C& c);
__device__ inline void synchronize_workgroup() { __syncthreads(); }
}
)prelude";

}  // namespace

std::map<std::string, std::string> own_headers() {
  std::map<std::string, std::string> result = {
      {"cuda_fp8.h", fp8_text},
      {"cuda_fp8.hpp", ""},
      {"cuda_fp6.h", fp6_text},
      {"cuda_fp6.hpp", ""},
      {"cuda_fp4.h", fp4_text},
      {"cuda_fp4.hpp", ""},
      {"rocwmma/rocwmma.hpp", rocwmma_text},
      {"hip/hip_bfloat16.h", "#include <algorithm>\n#include <ostream>\n"},
      {"hip/hip_fp8.h", fp8_text},
      {"cuComplex.h", complex_text},
      {"hip/hip_complex.h", complex_text},
      {"mma.h", mma_text},
      {"crt/mma.h", mma_text}};
  add_torch_headers(result);
  add_cuda_headers(result);
  add_driver_headers(result);
  return result;
}

}  // namespace compiled
