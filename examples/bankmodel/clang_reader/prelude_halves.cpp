// SPDX-License-Identifier: MIT
#include "prelude.hpp"

namespace compiled {

// Numbers of 16 bits, with the conversions, operators and functions of cuda_fp16.h and cuda_bf16.h:
// types, sizes and widths of copies are exact. Values are opaque: a function returns bits that only
// a run knows.
namespace {

const char type_text[] = R"prelude(
struct __half;
struct __half2;
struct __nv_bfloat16;
struct __nv_bfloat162;
enum __bankmodel_opaque { __bankmodel_bits };
__BANKMODEL_M float __bankmodel_from_half(unsigned short);
__BANKMODEL_M unsigned short __bankmodel_to_half(float);
__BANKMODEL_M unsigned short __bankmodel_half(unsigned short, unsigned short, unsigned short);
__BANKMODEL_M bool __bankmodel_half_compared(unsigned short, unsigned short);
#define __BANKMODEL_MEMBER __attribute__((host)) __attribute__((device))
#define __BANKMODEL_ENCODED(half, T) \
  __BANKMODEL_MEMBER half(const T v) : __x(__bankmodel_to_half((float)v)) {}
#define __BANKMODEL_DECODED(T) \
  __BANKMODEL_MEMBER operator T() const { return (T)__bankmodel_from_half(__x); }
template <bool> struct __bankmodel_if {};
template <> struct __bankmodel_if<true> { typedef int type; };
#define __BANKMODEL_HALF_TYPE(half, other, raw)                                                \
  struct __attribute__((aligned(2))) raw { unsigned short x; };                                \
  struct __attribute__((aligned(4))) half##2_raw { unsigned short x, y; };                     \
  struct __attribute__((aligned(2))) half {                                                    \
    unsigned short __x;                                                                        \
    half() = default;                                                                          \
    __BANKMODEL_MEMBER constexpr half(unsigned short v, __bankmodel_opaque) : __x(v) {}          \
    __BANKMODEL_MEMBER constexpr half(const raw& v) : __x(v.x) {}                                \
    __BANKMODEL_MEMBER explicit half(const other v);                                             \
    __BANKMODEL_MEMBER operator raw() const { return {__x}; }                                    \
    __BANKMODEL_ENCODED(half, float) __BANKMODEL_ENCODED(half, double) __BANKMODEL_ENCODED(half, short) \
    __BANKMODEL_ENCODED(half, unsigned short) __BANKMODEL_ENCODED(half, int)                         \
    __BANKMODEL_ENCODED(half, unsigned) __BANKMODEL_ENCODED(half, long)                              \
    __BANKMODEL_ENCODED(half, unsigned long) __BANKMODEL_ENCODED(half, long long)                    \
    __BANKMODEL_ENCODED(half, unsigned long long)                                                 \
    __BANKMODEL_DECODED(float) __BANKMODEL_DECODED(signed char) __BANKMODEL_DECODED(unsigned char)            \
    __BANKMODEL_DECODED(char) __BANKMODEL_DECODED(short) __BANKMODEL_DECODED(unsigned short)                  \
    __BANKMODEL_DECODED(int) __BANKMODEL_DECODED(unsigned) __BANKMODEL_DECODED(long)                          \
    __BANKMODEL_DECODED(unsigned long) __BANKMODEL_DECODED(long long) __BANKMODEL_DECODED(unsigned long long) \
    __BANKMODEL_MEMBER constexpr operator bool() const { return (__x & 0x7fff) != 0; }           \
    __BANKMODEL_MEMBER half& operator=(const raw& v) { __x = v.x; return *this; }                \
    __BANKMODEL_ASSIGN(half, float) __BANKMODEL_ASSIGN(half, double)                           \
    __BANKMODEL_ASSIGN(half, short) __BANKMODEL_ASSIGN(half, unsigned short)                   \
    __BANKMODEL_ASSIGN(half, int) __BANKMODEL_ASSIGN(half, unsigned)                           \
    __BANKMODEL_ASSIGN(half, long long) __BANKMODEL_ASSIGN(half, unsigned long long)           \
  };                                                                                           \
  /* A pair is copied as one word, as the toolkit's headers write it. */                       \
  struct __attribute__((aligned(4))) half##2 {                                                 \
    half x, y;                                                                                 \
    half##2() = default;                                                                       \
    __BANKMODEL_MEMBER constexpr half##2(const half& a, const half& b) : x(a), y(b) {}           \
    __BANKMODEL_MEMBER half##2(const half##2& v) { __builtin_memcpy(this, &v, 4); }              \
    __BANKMODEL_MEMBER half##2(const half##2_raw& v) { __builtin_memcpy(this, &v, 4); }          \
    __BANKMODEL_MEMBER half##2& operator=(const half##2& v) {                                    \
      __builtin_memcpy(this, &v, 4);                                                           \
      return *this;                                                                            \
    }                                                                                          \
    /* A template, so that `pair = {}` does not mean it. */                                     \
    template <class Raw, typename __bankmodel_if<__is_same(Raw, half##2_raw)>::type = 0>        \
    __BANKMODEL_MEMBER half##2& operator=(const Raw& v) {                                        \
      __builtin_memcpy(this, &v, 4);                                                           \
      return *this;                                                                            \
    }                                                                                          \
    __BANKMODEL_MEMBER operator half##2_raw() const { return {x.__x, y.__x}; }                   \
  };
#define __BANKMODEL_ASSIGN(half, T) \
  __BANKMODEL_MEMBER half& operator=(const T v) { return *this = half(v); }
__BANKMODEL_HALF_TYPE(__half, __nv_bfloat16, __half_raw)
__BANKMODEL_HALF_TYPE(__nv_bfloat16, __half, __nv_bfloat16_raw)
inline __BANKMODEL_MEMBER __half::__half(const __nv_bfloat16 v) : __half((float)v) {}
inline __BANKMODEL_MEMBER __nv_bfloat16::__nv_bfloat16(const __half v) : __nv_bfloat16((float)v) {}
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#define __CUDA_FP16_TYPES_EXIST__
#define __CUDA_BF16_TYPES_EXIST__
)prelude";

// Each function of a number, and of a pair.
const char function_text[] = R"prelude(
#define __BANKMODEL_H1(h, f) \
  __BANKMODEL_HD h f(const h a) { return h(__bankmodel_half(a.__x, 0, 0), __bankmodel_bits); }
#define __BANKMODEL_H2(h, f)                                                     \
  __BANKMODEL_HD h f(const h a, const h b) {                                     \
    return h(__bankmodel_half(a.__x, b.__x, 0), __bankmodel_bits);               \
  }
#define __BANKMODEL_H3(h, f)                                                     \
  __BANKMODEL_HD h f(const h a, const h b, const h c) {                          \
    return h(__bankmodel_half(a.__x, b.__x, c.__x), __bankmodel_bits);           \
  }
#define __BANKMODEL_PAIR1(h, f, g) \
  __BANKMODEL_HD h##2 f(const h##2 a) { return {g(a.x), g(a.y)}; }
#define __BANKMODEL_PAIR2(h, f, g) \
  __BANKMODEL_HD h##2 f(const h##2 a, const h##2 b) { return {g(a.x, b.x), g(a.y, b.y)}; }
#define __BANKMODEL_PAIR3(h, f, g)                                               \
  __BANKMODEL_HD h##2 f(const h##2 a, const h##2 b, const h##2 c) {              \
    return {g(a.x, b.x, c.x), g(a.y, b.y, c.y)};                                 \
  }
#define __BANKMODEL_UNARY(T, name)             \
  __BANKMODEL_H1(T, h##name)                   \
  __BANKMODEL_PAIR1(T, h2##name, h##name)
#define __BANKMODEL_BINARY(T, name)            \
  __BANKMODEL_H2(T, __h##name)                 \
  __BANKMODEL_PAIR2(T, __h##name##2, __h##name)
#define __BANKMODEL_ROUNDED(T, name)                                \
  __BANKMODEL_BINARY(T, name)                                       \
  __BANKMODEL_H2(T, __h##name##_rn)                                 \
  __BANKMODEL_PAIR2(T, __h##name##2_rn, __h##name)                  \
  __BANKMODEL_H2(T, __h##name##_sat)                                \
  __BANKMODEL_PAIR2(T, __h##name##2_sat, __h##name##_sat)
#define __BANKMODEL_EXTREME(T, name)                                \
  __BANKMODEL_BINARY(T, name)                                       \
  __BANKMODEL_H2(T, __h##name##_nan)                                \
  __BANKMODEL_PAIR2(T, __h##name##2_nan, __h##name##_nan)
#define __BANKMODEL_COMPARED(T, name)                                                        \
  __BANKMODEL_HD bool __h##name(const T a, const T b) {                                      \
    return __bankmodel_half_compared(a.__x, b.__x);                                          \
  }                                                                                          \
  __BANKMODEL_HD T##2 __h##name##2(const T##2 a, const T##2 b) {                             \
    return {T(__bankmodel_half(a.x.__x, b.x.__x, 0), __bankmodel_bits),                      \
            T(__bankmodel_half(a.y.__x, b.y.__x, 0), __bankmodel_bits)};                     \
  }                                                                                          \
  __BANKMODEL_HD unsigned __h##name##2_mask(const T##2 a, const T##2 b) {                    \
    return (__h##name(a.x, b.x) ? 0xffff : 0) | (__h##name(a.y, b.y) ? 0xffff0000 : 0);      \
  }                                                                                          \
  __BANKMODEL_HD bool __hb##name##2(const T##2 a, const T##2 b) {                            \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                       \
  }
#define __BANKMODEL_OPERATOR(T, op, f)                                                       \
  __BANKMODEL_HD T operator op(const T& a, const T& b) { return f(a, b); }                   \
  __BANKMODEL_HD T& operator op##=(T& a, const T& b) { return a = f(a, b); }
#define __BANKMODEL_OPERATORS(T, add, sub, mul, div, neg, unit)                               \
  __BANKMODEL_OPERATOR(T, +, add)                                                            \
  __BANKMODEL_OPERATOR(T, -, sub)                                                            \
  __BANKMODEL_OPERATOR(T, *, mul)                                                            \
  __BANKMODEL_OPERATOR(T, /, div)                                                            \
  __BANKMODEL_HD T operator+(const T& a) { return a; }                                       \
  __BANKMODEL_HD T operator-(const T& a) { return neg(a); }                                  \
  __BANKMODEL_HD T& operator++(T& a) { return a = add(a, unit); }                             \
  __BANKMODEL_HD T& operator--(T& a) { return a = sub(a, unit); }                             \
  __BANKMODEL_HD T operator++(T& a, const int) { T old = a; ++a; return old; }               \
  __BANKMODEL_HD T operator--(T& a, const int) { T old = a; --a; return old; }
#define __BANKMODEL_COMPARISONS(T, prefix, suffix)                                           \
  __BANKMODEL_HD bool operator==(const T& a, const T& b) { return prefix##eq##suffix(a, b); } \
  __BANKMODEL_HD bool operator!=(const T& a, const T& b) { return prefix##neu##suffix(a, b); } \
  __BANKMODEL_HD bool operator>(const T& a, const T& b) { return prefix##gt##suffix(a, b); } \
  __BANKMODEL_HD bool operator<(const T& a, const T& b) { return prefix##lt##suffix(a, b); } \
  __BANKMODEL_HD bool operator>=(const T& a, const T& b) { return prefix##ge##suffix(a, b); } \
  __BANKMODEL_HD bool operator<=(const T& a, const T& b) { return prefix##le##suffix(a, b); }
// From and to integers: T2half_rn and half2T_rz in their four roundings.
#define __BANKMODEL_INTEGER_DECODED(T, name, half) \
  __BANKMODEL_HD T name(const half v) { return (T)__bankmodel_from_half(v.__x); }
#define __BANKMODEL_INTEGER_ENCODED(T, name, half) \
  __BANKMODEL_HD half name(const T v) { return half(v); }
#define __BANKMODEL_INTEGERS(T, encode, decode, half)                                              \
  __BANKMODEL_INTEGER_ENCODED(T, encode##_rn, half) __BANKMODEL_INTEGER_ENCODED(T, encode##_rz, half)  \
  __BANKMODEL_INTEGER_ENCODED(T, encode##_rd, half) __BANKMODEL_INTEGER_ENCODED(T, encode##_ru, half)  \
  __BANKMODEL_INTEGER_DECODED(T, decode##_rn, half) __BANKMODEL_INTEGER_DECODED(T, decode##_rz, half)          \
  __BANKMODEL_INTEGER_DECODED(T, decode##_rd, half) __BANKMODEL_INTEGER_DECODED(T, decode##_ru, half)
#define __BANKMODEL_HALF_FUNCTIONS(h, short_name)                                            \
  __BANKMODEL_MATH_LIST(h)                                                                   \
  __BANKMODEL_H1(h, __hneg) __BANKMODEL_PAIR1(h, __hneg2, __hneg)                            \
  __BANKMODEL_H1(h, __habs) __BANKMODEL_PAIR1(h, __habs2, __habs)                            \
  __BANKMODEL_ROUNDED(h, add) __BANKMODEL_ROUNDED(h, sub) __BANKMODEL_ROUNDED(h, mul)        \
  __BANKMODEL_H2(h, __hdiv) __BANKMODEL_PAIR2(h, __h2div, __hdiv)                            \
  __BANKMODEL_EXTREME(h, max) __BANKMODEL_EXTREME(h, min)                                    \
  __BANKMODEL_H3(h, __hfma) __BANKMODEL_PAIR3(h, __hfma2, __hfma)                            \
  __BANKMODEL_H3(h, __hfma_sat) __BANKMODEL_PAIR3(h, __hfma2_sat, __hfma_sat)                \
  __BANKMODEL_H3(h, __hfma_relu) __BANKMODEL_PAIR3(h, __hfma2_relu, __hfma_relu)             \
  __BANKMODEL_PAIR3(h, __hcmadd, __hfma)                                                     \
  __BANKMODEL_COMPARED(h, eq) __BANKMODEL_COMPARED(h, ne) __BANKMODEL_COMPARED(h, le)        \
  __BANKMODEL_COMPARED(h, ge) __BANKMODEL_COMPARED(h, lt) __BANKMODEL_COMPARED(h, gt)        \
  __BANKMODEL_COMPARED(h, equ) __BANKMODEL_COMPARED(h, neu) __BANKMODEL_COMPARED(h, leu)     \
  __BANKMODEL_COMPARED(h, geu) __BANKMODEL_COMPARED(h, ltu) __BANKMODEL_COMPARED(h, gtu)     \
  __BANKMODEL_HD bool __hisnan(const h a) { return __bankmodel_half_compared(a.__x, a.__x); } \
  __BANKMODEL_HD int __hisinf(const h a) { return (int)__bankmodel_from_half(a.__x); }       \
  __BANKMODEL_PAIR1(h, __hisnan2, __hneg)                                                    \
  __BANKMODEL_OPERATORS(h, __hadd, __hsub, __hmul, __hdiv, __hneg, h(1.f))                   \
  __BANKMODEL_OPERATORS(h##2, __hadd2, __hsub2, __hmul2, __h2div, __hneg2, h##2(h(1.f), h(1.f))) \
  __BANKMODEL_COMPARISONS(h, __h, )                                                          \
  __BANKMODEL_COMPARISONS(h##2, __hb, 2)                                                     \
  __BANKMODEL_HD h##2 __lowhigh2highlow(const h##2 v) { return {v.y, v.x}; }                 \
  __BANKMODEL_HD float __low2float(const h##2 v) { return (float)v.x; }                      \
  __BANKMODEL_HD float __high2float(const h##2 v) { return (float)v.y; }                     \
  __BANKMODEL_HD h##2 __low2##short_name##2(const h##2 v) { return {v.x, v.x}; }             \
  __BANKMODEL_HD h##2 __high2##short_name##2(const h##2 v) { return {v.y, v.y}; }            \
  __BANKMODEL_HD h __low2##short_name(const h##2 v) { return v.x; }                          \
  __BANKMODEL_HD h __high2##short_name(const h##2 v) { return v.y; }                         \
  __BANKMODEL_HD h##2 __lows2##short_name##2(const h##2 a, const h##2 b) { return {a.x, b.x}; } \
  __BANKMODEL_HD h##2 __highs2##short_name##2(const h##2 a, const h##2 b) { return {a.y, b.y}; } \
  __BANKMODEL_HD h##2 __halves2##short_name##2(const h a, const h b) { return {a, b}; }      \
  __BANKMODEL_HD h##2 __##short_name##2##short_name##2(const h v) { return {v, v}; }         \
  __BANKMODEL_HD h##2 make_##short_name##2(const h a, const h b) { return {a, b}; }          \
  __BANKMODEL_HD h __double2##short_name(const double v) { return h(v); }                    \
  __BANKMODEL_HD h __float2##short_name(const float v) { return h(v); }                      \
  __BANKMODEL_HD h __float2##short_name##_rn(const float v) { return h(v); }                 \
  __BANKMODEL_HD h __float2##short_name##_rz(const float v) { return h(v); }                 \
  __BANKMODEL_HD h __float2##short_name##_rd(const float v) { return h(v); }                 \
  __BANKMODEL_HD h __float2##short_name##_ru(const float v) { return h(v); }                 \
  __BANKMODEL_HD float __##short_name##2float(const h v) { return (float)v; }                \
  __BANKMODEL_HD h##2 __float2##short_name##2_rn(const float v) { return {h(v), h(v)}; }     \
  __BANKMODEL_HD h##2 __floats2##short_name##2_rn(const float a, const float b) {            \
    return {h(a), h(b)};                                                                     \
  }                                                                                          \
  __BANKMODEL_HD h##2 __float22##short_name##2_rn(const float2 v) { return {h(v.x), h(v.y)}; } \
  __BANKMODEL_HD float2 __##short_name##22float2(const h##2 v) {                             \
    return {(float)v.x, (float)v.y};                                                         \
  }                                                                                          \
  __BANKMODEL_INTEGERS(short, __short2##short_name, __##short_name##2short, h)               \
  __BANKMODEL_INTEGERS(unsigned short, __ushort2##short_name, __##short_name##2ushort, h)    \
  __BANKMODEL_INTEGERS(int, __int2##short_name, __##short_name##2int, h)                     \
  __BANKMODEL_INTEGERS(unsigned, __uint2##short_name, __##short_name##2uint, h)              \
  __BANKMODEL_INTEGERS(long long, __ll2##short_name, __##short_name##2ll, h)                 \
  __BANKMODEL_INTEGERS(unsigned long long, __ull2##short_name, __##short_name##2ull, h)      \
  __BANKMODEL_INTEGER_DECODED(signed char, __##short_name##2char_rz, h)                           \
  __BANKMODEL_INTEGER_DECODED(unsigned char, __##short_name##2uchar_rz, h)
#define __BANKMODEL_MATH_LIST(h)                                                             \
  __BANKMODEL_UNARY(h, trunc) __BANKMODEL_UNARY(h, ceil) __BANKMODEL_UNARY(h, floor)         \
  __BANKMODEL_UNARY(h, rint) __BANKMODEL_UNARY(h, sqrt) __BANKMODEL_UNARY(h, rsqrt)          \
  __BANKMODEL_UNARY(h, rcp) __BANKMODEL_UNARY(h, log) __BANKMODEL_UNARY(h, log2)             \
  __BANKMODEL_UNARY(h, log10) __BANKMODEL_UNARY(h, exp) __BANKMODEL_UNARY(h, exp2)           \
  __BANKMODEL_UNARY(h, exp10) __BANKMODEL_UNARY(h, cos) __BANKMODEL_UNARY(h, sin)            \
  __BANKMODEL_UNARY(h, tanh) __BANKMODEL_UNARY(h, tanh_approx)
__BANKMODEL_HALF_FUNCTIONS(__half, half)
__BANKMODEL_HALF_FUNCTIONS(__nv_bfloat16, bfloat16)
__BANKMODEL_HD short __half_as_short(const __half v) { return (short)v.__x; }
__BANKMODEL_HD unsigned short __half_as_ushort(const __half v) { return v.__x; }
__BANKMODEL_HD __half __short_as_half(const short v) { return __half_raw{(unsigned short)v}; }
__BANKMODEL_HD __half __ushort_as_half(const unsigned short v) { return __half_raw{v}; }
__BANKMODEL_HD short __bfloat16_as_short(const __nv_bfloat16 v) { return (short)v.__x; }
__BANKMODEL_HD unsigned short __bfloat16_as_ushort(const __nv_bfloat16 v) { return v.__x; }
__BANKMODEL_HD __nv_bfloat16 __short_as_bfloat16(const short v) {
  return __nv_bfloat16_raw{(unsigned short)v};
}
__BANKMODEL_HD __nv_bfloat16 __ushort_as_bfloat16(const unsigned short v) {
  return __nv_bfloat16_raw{v};
}
)prelude";

}  // namespace

std::string halves_prelude() { return std::string(type_text) + function_text; }

}  // namespace compiled
