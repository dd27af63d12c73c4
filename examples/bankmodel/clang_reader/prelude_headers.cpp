// SPDX-License-Identifier: MIT
#include "prelude.hpp"

namespace compiled {

// Headers of a toolkit that are read where a file includes them.
namespace {

// Numbers of 8 bits: types, sizes and conversions are those of cuda_fp8.h, values are opaque.
const char fp8_text[] = R"prelude(
#pragma once
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;
__BANKMODEL_M unsigned char __bankmodel_to_fp8(float, int, int);
__BANKMODEL_M unsigned short __bankmodel_from_fp8(unsigned char, int);
#define __BANKMODEL_TO_FP8(name, T, value)                                                    \
  __BANKMODEL_HD __nv_fp8_storage_t name(const T x, const __nv_saturation_t saturate,         \
                                         const __nv_fp8_interpretation_t as) {                \
    return __bankmodel_to_fp8(value, saturate, as);                                           \
  }
#define __BANKMODEL_TO_FP8X2(name, T, one, first, second)                                     \
  __BANKMODEL_HD __nv_fp8x2_storage_t name(const T x, const __nv_saturation_t saturate,       \
                                           const __nv_fp8_interpretation_t as) {              \
    return (__nv_fp8x2_storage_t)(one(first, saturate, as) | one(second, saturate, as) << 8); \
  }
__BANKMODEL_TO_FP8(__nv_cvt_double_to_fp8, double, (float)x)
__BANKMODEL_TO_FP8(__nv_cvt_float_to_fp8, float, x)
__BANKMODEL_TO_FP8(__nv_cvt_halfraw_to_fp8, __half_raw, (float)__half(x))
__BANKMODEL_TO_FP8(__nv_cvt_bfloat16raw_to_fp8, __nv_bfloat16_raw, (float)__nv_bfloat16(x))
__BANKMODEL_TO_FP8X2(__nv_cvt_double2_to_fp8x2, double2, __nv_cvt_double_to_fp8, x.x, x.y)
__BANKMODEL_TO_FP8X2(__nv_cvt_float2_to_fp8x2, float2, __nv_cvt_float_to_fp8, x.x, x.y)
__BANKMODEL_TO_FP8X2(__nv_cvt_halfraw2_to_fp8x2, __half2_raw, __nv_cvt_halfraw_to_fp8,
                     __half_raw{x.x}, __half_raw{x.y})
__BANKMODEL_TO_FP8X2(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw,
                     __nv_cvt_bfloat16raw_to_fp8, __nv_bfloat16_raw{x.x}, __nv_bfloat16_raw{x.y})
__BANKMODEL_HD __half_raw __nv_cvt_fp8_to_halfraw(const __nv_fp8_storage_t x,
                                                  const __nv_fp8_interpretation_t as) {
  return {__bankmodel_from_fp8(x, as)};
}
__BANKMODEL_HD __half2_raw __nv_cvt_fp8x2_to_halfraw2(const __nv_fp8x2_storage_t x,
                                                      const __nv_fp8_interpretation_t as) {
  return {__bankmodel_from_fp8((unsigned char)x, as), __bankmodel_from_fp8(x >> 8, as)};
}
#define __BANKMODEL_FP8_FROM(name, T, as)                                                     \
  __BANKMODEL_MEMBER explicit name(const T v)                                                 \
      : __x(__bankmodel_to_fp8((float)v, __NV_SATFINITE, as)) {}
#define __BANKMODEL_FP8_TO(T, as)                                                             \
  __BANKMODEL_MEMBER explicit operator T() const {                                            \
    return (T)(float)__half(__nv_cvt_fp8_to_halfraw(__x, as));                                \
  }
#define __BANKMODEL_FP8(kind, as)                                                             \
  struct __nv_fp8_##kind {                                                                    \
    __nv_fp8_storage_t __x;                                                                   \
    __nv_fp8_##kind() = default;                                                              \
    __BANKMODEL_FP8_FROM(__nv_fp8_##kind, __half, as)                                         \
    __BANKMODEL_FP8_FROM(__nv_fp8_##kind, __nv_bfloat16, as)                                  \
    __BANKMODEL_FP8_FROM(__nv_fp8_##kind, float, as)                                          \
    __BANKMODEL_FP8_FROM(__nv_fp8_##kind, double, as)                                         \
    __BANKMODEL_FP8_FROM(__nv_fp8_##kind, short, as)                                          \
    __BANKMODEL_FP8_FROM(__nv_fp8_##kind, unsigned short, as)                                 \
    __BANKMODEL_FP8_FROM(__nv_fp8_##kind, int, as)                                            \
    __BANKMODEL_FP8_FROM(__nv_fp8_##kind, unsigned, as)                                       \
    __BANKMODEL_FP8_FROM(__nv_fp8_##kind, long, as)                                           \
    __BANKMODEL_FP8_FROM(__nv_fp8_##kind, unsigned long, as)                                  \
    __BANKMODEL_FP8_FROM(__nv_fp8_##kind, long long, as)                                      \
    __BANKMODEL_FP8_FROM(__nv_fp8_##kind, unsigned long long, as)                             \
    __BANKMODEL_FP8_TO(__half, as) __BANKMODEL_FP8_TO(__nv_bfloat16, as)                      \
    __BANKMODEL_FP8_TO(float, as) __BANKMODEL_FP8_TO(double, as)                              \
    __BANKMODEL_FP8_TO(signed char, as) __BANKMODEL_FP8_TO(unsigned char, as)                 \
    __BANKMODEL_FP8_TO(char, as) __BANKMODEL_FP8_TO(short, as)                                \
    __BANKMODEL_FP8_TO(unsigned short, as) __BANKMODEL_FP8_TO(int, as)                        \
    __BANKMODEL_FP8_TO(unsigned, as) __BANKMODEL_FP8_TO(long, as)                             \
    __BANKMODEL_FP8_TO(unsigned long, as) __BANKMODEL_FP8_TO(long long, as)                   \
    __BANKMODEL_FP8_TO(unsigned long long, as) __BANKMODEL_FP8_TO(bool, as)                   \
  };                                                                                          \
  struct __attribute__((aligned(2))) __nv_fp8x2_##kind {                                      \
    __nv_fp8x2_storage_t __x;                                                                 \
    __nv_fp8x2_##kind() = default;                                                            \
    __BANKMODEL_MEMBER explicit __nv_fp8x2_##kind(const __half2 v)                            \
        : __x(__nv_cvt_halfraw2_to_fp8x2(v, __NV_SATFINITE, as)) {}                           \
    __BANKMODEL_MEMBER explicit __nv_fp8x2_##kind(const __nv_bfloat162 v)                     \
        : __x(__nv_cvt_bfloat16raw2_to_fp8x2(v, __NV_SATFINITE, as)) {}                       \
    __BANKMODEL_MEMBER explicit __nv_fp8x2_##kind(const float2 v)                             \
        : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, as)) {}                             \
    __BANKMODEL_MEMBER explicit __nv_fp8x2_##kind(const double2 v)                            \
        : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, as)) {}                            \
    __BANKMODEL_MEMBER explicit operator __half2() const {                                    \
      return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, as));                                    \
    }                                                                                         \
    __BANKMODEL_MEMBER explicit operator float2() const {                                     \
      return __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2(__x, as)));                    \
    }                                                                                         \
  };                                                                                          \
  struct __attribute__((aligned(4))) __nv_fp8x4_##kind {                                      \
    __nv_fp8x4_storage_t __x;                                                                 \
    __nv_fp8x4_##kind() = default;                                                            \
    __BANKMODEL_MEMBER explicit __nv_fp8x4_##kind(const __half2 a, const __half2 b)           \
        : __x(__nv_fp8x2_##kind(a).__x | (unsigned)__nv_fp8x2_##kind(b).__x << 16) {}         \
    __BANKMODEL_MEMBER explicit __nv_fp8x4_##kind(const __nv_bfloat162 a,                     \
                                                  const __nv_bfloat162 b)                     \
        : __x(__nv_fp8x2_##kind(a).__x | (unsigned)__nv_fp8x2_##kind(b).__x << 16) {}         \
    __BANKMODEL_MEMBER explicit __nv_fp8x4_##kind(const float4 v)                             \
        : __x(__nv_fp8x2_##kind(float2{v.x, v.y}).__x |                                       \
              (unsigned)__nv_fp8x2_##kind(float2{v.z, v.w}).__x << 16) {}                     \
    __BANKMODEL_MEMBER explicit operator float4() const {                                     \
      const float2 a = __half22float2(__nv_cvt_fp8x2_to_halfraw2((unsigned short)__x, as));   \
      const float2 b = __half22float2(__nv_cvt_fp8x2_to_halfraw2(__x >> 16, as));             \
      return {a.x, a.y, b.x, b.y};                                                            \
    }                                                                                         \
  };
__BANKMODEL_FP8(e5m2, __NV_E5M2)
__BANKMODEL_FP8(e4m3, __NV_E4M3)
typedef __nv_fp8_e4m3 __hip_fp8_e4m3;
typedef __nv_fp8_e5m2 __hip_fp8_e5m2;
typedef __nv_fp8_e4m3 __hip_fp8_e4m3_fnuz;
typedef __nv_fp8_e5m2 __hip_fp8_e5m2_fnuz;
)prelude";

// Matrices that a warp multiplies, as mma.h has them. From compute capability 8.0 on, and for
// elements of 16 bits with sums of 16 or 32 bits, the accesses are those of nvcc's machine code:
// ldmatrix of 8 x 8 elements from shared memory, words of each lane from global memory, and the
// lanes' own parts of sums. Others are named and not counted.
const char mma_text[] = R"prelude(
#pragma once
namespace nvcuda {
namespace wmma {
struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
namespace precision {
struct tf32;
struct u4;
struct s4;
struct b1;
}
enum layout_t { mem_row_major, mem_col_major };
template <class T> struct __element { typedef T type; };
template <> struct __element<precision::tf32> { typedef float type; };
template <> struct __element<precision::u4> { typedef unsigned type; };
template <> struct __element<precision::s4> { typedef int type; };
template <> struct __element<precision::b1> { typedef unsigned type; };
__attribute__((device)) void load_matrix(const void*);
__attribute__((device)) void store_matrix(void*);
extern "C" __attribute__((device)) void __bankmodel_load_matrix(const void* row, const void* word,
                                                                unsigned long line, int matrices);
__BANKMODEL_C float __bankmodel_element();
// What computes an element is needed where a matrix is multiplied or stored.
__BANKMODEL_O void __bankmodel_needed(float);

// The lines of a matrix in memory, and the elements of a line.
template <class Use, int M, int N, int K, class Layout> struct __shape {
  static constexpr bool is_a = __is_same(Use, matrix_a), is_row = __is_same(Layout, row_major);
  static constexpr int height = is_a ? M : K, width = is_a ? K : N;
  static constexpr int lines = is_row ? height : width, elements = is_row ? width : height;
};
template <class Use, int M, int N, int K, class T, class Layout = void> struct fragment {
  typedef typename __element<T>::type element_type;
  typedef element_type storage_element_type;
  static constexpr bool is_sum = __is_same(Use, accumulator);
  // Parts of a and b of these shapes are in two lanes.
  static constexpr int num_elements =
      is_sum ? M * N / 32 : M * N * K == 4096 && sizeof(element_type) == 2 ? 16
                          : (__is_same(Use, matrix_a) ? M * K : K * N) / 32;
  static constexpr int num_storage_elements = num_elements;
  element_type x[num_elements];
};
template <class F, class T> __BANKMODEL_D void fill_fragment(F& to, const T& value) {
  for (int i = 0; i < F::num_elements; ++i) to.x[i] = (typename F::element_type)value;
}
template <class F> __BANKMODEL_D void __forget(F& one) {
  for (int i = 0; i < F::num_elements; ++i)
    one.x[i] = (typename F::element_type)__bankmodel_element();
}
template <class F> __BANKMODEL_D void __need(const F& one) {
  for (int i = 0; i < F::num_elements; ++i) __bankmodel_needed((float)one.x[i]);
}
#if __CUDA_ARCH__ >= 800
enum { __is_known = 1 };
#else
enum { __is_known = 0 };
#endif
template <class Use, int M, int N, int K, class T, class Layout, class E>
__BANKMODEL_D void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& to, const E* from,
                                    unsigned stride) {
  typedef __shape<Use, M, N, K, Layout> shape;
  __bankmodel_warp_sync();
  if constexpr (__is_known && sizeof(E) == 2 && K == 16) {
    const unsigned lane = __bankmodel_special_lane();
    const unsigned long line = (unsigned long)stride * 2;
    const char* const first = (const char*)from;
    for (int i = 0; i < shape::lines; i += 16)
      for (int j = 0; j < shape::elements; j += 16) {
        const char* const part = first + i * line + 2 * j;
        constexpr bool is_low = shape::lines == 8, is_narrow = shape::elements == 8;
        const unsigned row = is_low ? lane % 8 : lane % 16;
        const unsigned column = is_narrow ? 0 : is_low ? lane / 8 % 2 : lane / 16;
        __bankmodel_load_matrix(part + row * line + 16 * column,
                                part + lane / 4 * line + lane % 4 * 4, line,
                                is_low || is_narrow ? 2 : 4);
      }
  } else {
    load_matrix(from);
  }
  __forget(to);
}
// The lanes' parts of a sum: two elements, `next` apart, for each 8 x 8 elements.
template <int M, int N, class E, class Access>
__BANKMODEL_D void __access_sum(E* place, unsigned stride, layout_t layout, Access access) {
  const unsigned lane = __bankmodel_special_lane();
  // Sums of 8 x 32 are computed as the transposed ones of 32 x 8.
  constexpr bool is_turned = M == 8;
  const unsigned long row = layout == mem_row_major ? stride : 1;
  const unsigned long column = layout == mem_row_major ? 1 : stride;
  const unsigned long slow = is_turned ? column : row, fast = is_turned ? row : column;
  for (int j = 0; j < (is_turned ? M : N); j += 8)
    for (int i = 0; i < (is_turned ? N : M); i += 8)
      access(place + (lane / 4 + i) * slow + (lane % 4 * 2 + j) * fast, fast);
}
template <int Bytes> struct __word { typedef unsigned type; };
template <> struct __word<8> { typedef unsigned long long type; };
template <int M, int N, int K, class T, class E>
__BANKMODEL_D void store_matrix_sync(E* to, const fragment<accumulator, M, N, K, T>& from,
                                     unsigned stride, layout_t layout) {
  typedef typename __word<2 * sizeof(E)>::type word;
  const bool is_pair = (layout == mem_row_major) == (M != 8);
  __bankmodel_warp_sync();
  __need(from);
  if (!__is_known || K != 16 || sizeof(E) > 4 || (sizeof(E) == 2 && !is_pair))
    return store_matrix(to);
  __access_sum<M, N>(to, stride, layout, [&](E* place, unsigned long next) {
    if (is_pair) {
      *(word*)place = (word)__bankmodel_element();
    } else {
      place[0] = (E)__bankmodel_element();
      place[next] = (E)__bankmodel_element();
    }
  });
}
template <int M, int N, int K, class T, class E>
__BANKMODEL_D void load_matrix_sync(fragment<accumulator, M, N, K, T>& to, const E* from,
                                    unsigned stride, layout_t layout) {
  typedef typename __word<2 * sizeof(E)>::type word;
  const bool is_pair = (layout == mem_row_major) == (M != 8);
  __bankmodel_warp_sync();
  if (!__is_known || K != 16 || sizeof(E) > 4 || (sizeof(E) == 2 && !is_pair))
    load_matrix(from);
  else
    __access_sum<M, N>(from, stride, layout, [&](const E* place, unsigned long next) {
      if (is_pair) {
        to.x[0] = (E)(float)*(const word*)place;
      } else {
        to.x[0] = place[0];
        to.x[1] = place[next];
      }
    });
  __forget(to);
}
template <class D, class A, class B, class C>
__BANKMODEL_D void mma_sync(D& to, const A& a, const B& b, const C& c) {
  __bankmodel_warp_sync();
  __need(a), __need(b), __need(c);
  __forget(to);
}
template <class D, class A, class B, class C>
__BANKMODEL_D void mma_sync(D& to, const A& a, const B& b, const C& c, bool) {
  mma_sync(to, a, b, c);
}
__BANKMODEL_D float __float_to_tf32(float v) { return v; }
}
}
)prelude";

}  // namespace

std::map<std::string, std::string> own_headers() {
  std::map<std::string, std::string> result = {{"cuda_fp8.h", fp8_text},
                                               {"cuda_fp8.hpp", ""},
                                               {"hip/hip_fp8.h", fp8_text},
                                               {"mma.h", mma_text},
                                               {"crt/mma.h", mma_text}};
  add_torch_headers(result);
  add_cuda_headers(result);
  return result;
}

}  // namespace compiled
