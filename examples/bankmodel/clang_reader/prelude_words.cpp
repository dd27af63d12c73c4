// SPDX-License-Identifier: MIT
#include "prelude.hpp"

namespace compiled {

// Functions of integers that work on parts of a word: __vadd4, __dp4a, __vimax3_s32 and their
// families. Their definitions are exact.
namespace {

const char lanes_text[] = R"prelude(
// r is a function of x and y, the parts of a and b at `shift`.
#define __BANKMODEL_PARTS(name, T, bits, ...)                                                \
  __BANKMODEL_HD unsigned name(unsigned a, unsigned b) {                                     \
    unsigned result = 0;                                                                     \
    for (int shift = 0; shift < 32; shift += bits) {                                         \
      const int x = (T)(a >> shift), y = (T)(b >> shift);                                    \
      result |= ((unsigned)(__VA_ARGS__) & (0xffffffffu >> (32 - bits))) << shift;           \
    }                                                                                        \
    return result;                                                                           \
  }
#define __BANKMODEL_PARTS_OF_ONE(name, T, bits, ...)                                         \
  __BANKMODEL_PARTS(__bankmodel##name, T, bits, __VA_ARGS__)                                 \
  __BANKMODEL_HD unsigned name(unsigned a) { return __bankmodel##name(a, 0); }
#define __BANKMODEL_SUM_OF_PARTS(name, T, bits)                                              \
  __BANKMODEL_HD unsigned name(unsigned a, unsigned b) {                                     \
    unsigned result = 0;                                                                     \
    for (int shift = 0; shift < 32; shift += bits) {                                         \
      const int x = (T)(a >> shift), y = (T)(b >> shift);                                    \
      result += (unsigned)(x < y ? y - x : x - y);                                           \
    }                                                                                        \
    return result;                                                                           \
  }
#define __BANKMODEL_COMPARED_PARTS(name, op, n, bits, S, U)                                  \
  __BANKMODEL_PARTS(__vcmp##name##s##n, S, bits, x op y ? -1 : 0)                            \
  __BANKMODEL_PARTS(__vcmp##name##u##n, U, bits, x op y ? -1 : 0)                            \
  __BANKMODEL_PARTS(__vset##name##s##n, S, bits, x op y)                                     \
  __BANKMODEL_PARTS(__vset##name##u##n, U, bits, x op y)
#define __BANKMODEL_WORD(n, bits, S, U, least, greatest)                                     \
  __BANKMODEL_PARTS_OF_ONE(__vabs##n, S, bits, x < 0 ? y - x : x)                            \
  __BANKMODEL_PARTS_OF_ONE(__vabsss##n, S, bits, x == least ? greatest : x < 0 ? y - x : x)  \
  __BANKMODEL_PARTS_OF_ONE(__vneg##n, S, bits, y - x)                                        \
  __BANKMODEL_PARTS_OF_ONE(__vnegss##n, S, bits, x == least ? greatest : y - x)              \
  __BANKMODEL_PARTS(__vadd##n, S, bits, x + y)                                               \
  __BANKMODEL_PARTS(__vsub##n, S, bits, x - y)                                               \
  __BANKMODEL_PARTS(__vaddss##n, S, bits,                                                    \
                    x + y < least ? least : x + y > greatest ? greatest : x + y)             \
  __BANKMODEL_PARTS(__vsubss##n, S, bits,                                                    \
                    x - y < least ? least : x - y > greatest ? greatest : x - y)             \
  __BANKMODEL_PARTS(__vaddus##n, U, bits, x + y > (U)-1 ? (U)-1 : x + y)                     \
  __BANKMODEL_PARTS(__vsubus##n, U, bits, x < y ? 0 : x - y)                                 \
  __BANKMODEL_PARTS(__vavgu##n, U, bits, (x + y + 1) >> 1)                                   \
  __BANKMODEL_PARTS(__vhaddu##n, U, bits, (x + y) >> 1)                                      \
  __BANKMODEL_PARTS(__vabsdiffs##n, S, bits, x < y ? y - x : x - y)                          \
  __BANKMODEL_PARTS(__vabsdiffu##n, U, bits, x < y ? y - x : x - y)                          \
  __BANKMODEL_PARTS(__vmaxs##n, S, bits, x < y ? y : x)                                      \
  __BANKMODEL_PARTS(__vmaxu##n, U, bits, x < y ? y : x)                                      \
  __BANKMODEL_PARTS(__vmins##n, S, bits, x < y ? x : y)                                      \
  __BANKMODEL_PARTS(__vminu##n, U, bits, x < y ? x : y)                                      \
  __BANKMODEL_PARTS(__vcmpeq##n, U, bits, x == y ? -1 : 0)                                   \
  __BANKMODEL_PARTS(__vcmpne##n, U, bits, x != y ? -1 : 0)                                   \
  __BANKMODEL_PARTS(__vseteq##n, U, bits, x == y)                                            \
  __BANKMODEL_PARTS(__vsetne##n, U, bits, x != y)                                            \
  __BANKMODEL_COMPARED_PARTS(ge, >=, n, bits, S, U)                                          \
  __BANKMODEL_COMPARED_PARTS(gt, >, n, bits, S, U)                                           \
  __BANKMODEL_COMPARED_PARTS(le, <=, n, bits, S, U)                                          \
  __BANKMODEL_COMPARED_PARTS(lt, <, n, bits, S, U)                                           \
  __BANKMODEL_SUM_OF_PARTS(__vsads##n, S, bits)                                              \
  __BANKMODEL_SUM_OF_PARTS(__vsadu##n, U, bits)                                              \
  __BANKMODEL_M unsigned __vavgs##n(unsigned, unsigned);
__BANKMODEL_WORD(2, 16, short, unsigned short, -32768, 32767)
__BANKMODEL_WORD(4, 8, signed char, unsigned char, -128, 127)

// The extremes of three numbers, and of a sum.
#define __BANKMODEL_EXTREMES(T, suffix, max, min)                                                \
  __BANKMODEL_HD T __vi##max##3_##suffix(T a, T b, T c) { return max(max(a, b), c); }        \
  __BANKMODEL_HD T __vi##min##3_##suffix(T a, T b, T c) { return min(min(a, b), c); }        \
  __BANKMODEL_HD T __viadd##max##_##suffix(T a, T b, T c) {                                  \
    return max((T)((unsigned)a + (unsigned)b), c);                                           \
  }                                                                                          \
  __BANKMODEL_HD T __viadd##min##_##suffix(T a, T b, T c) {                                  \
    return min((T)((unsigned)a + (unsigned)b), c);                                           \
  }                                                                                          \
  __BANKMODEL_HD T __vib##max##_##suffix(T a, T b, bool* first) {                            \
    *first = a >= b;                                                                         \
    return max(a, b);                                                                        \
  }                                                                                          \
  __BANKMODEL_HD T __vib##min##_##suffix(T a, T b, bool* first) {                            \
    *first = a <= b;                                                                         \
    return min(a, b);                                                                        \
  }
__BANKMODEL_EXTREMES(int, s32, max, min)
__BANKMODEL_EXTREMES(unsigned, u32, max, min)
__BANKMODEL_HD int __vimax_s32_relu(int a, int b) { return max(max(a, b), 0); }
__BANKMODEL_HD int __vimin_s32_relu(int a, int b) { return max(min(a, b), 0); }
__BANKMODEL_HD int __vimax3_s32_relu(int a, int b, int c) { return max(__vimax3_s32(a, b, c), 0); }
__BANKMODEL_HD int __vimin3_s32_relu(int a, int b, int c) { return max(__vimin3_s32(a, b, c), 0); }
__BANKMODEL_HD int __viaddmax_s32_relu(int a, int b, int c) {
  return max(__viaddmax_s32(a, b, c), 0);
}
__BANKMODEL_HD int __viaddmin_s32_relu(int a, int b, int c) {
  return max(__viaddmin_s32(a, b, c), 0);
}
#define __BANKMODEL_EXTREMES_OF_PARTS(s, suffix)                                             \
  __BANKMODEL_HD unsigned __vimax3_##suffix(unsigned a, unsigned b, unsigned c) {            \
    return __vmax##s##2(__vmax##s##2(a, b), c);                                              \
  }                                                                                          \
  __BANKMODEL_HD unsigned __vimin3_##suffix(unsigned a, unsigned b, unsigned c) {            \
    return __vmin##s##2(__vmin##s##2(a, b), c);                                              \
  }                                                                                          \
  __BANKMODEL_HD unsigned __viaddmax_##suffix(unsigned a, unsigned b, unsigned c) {          \
    return __vmax##s##2(__vadd2(a, b), c);                                                   \
  }                                                                                          \
  __BANKMODEL_HD unsigned __viaddmin_##suffix(unsigned a, unsigned b, unsigned c) {          \
    return __vmin##s##2(__vadd2(a, b), c);                                                   \
  }                                                                                          \
  __BANKMODEL_HD unsigned __vibmax_##suffix(unsigned a, unsigned b, bool* high, bool* low) { \
    const unsigned first = __vsetge##s##2(a, b);                                             \
    *high = first >> 16;                                                                     \
    *low = first & 1;                                                                        \
    return __vmax##s##2(a, b);                                                               \
  }                                                                                          \
  __BANKMODEL_HD unsigned __vibmin_##suffix(unsigned a, unsigned b, bool* high, bool* low) { \
    const unsigned first = __vsetle##s##2(a, b);                                             \
    *high = first >> 16;                                                                     \
    *low = first & 1;                                                                        \
    return __vmin##s##2(a, b);                                                               \
  }
__BANKMODEL_EXTREMES_OF_PARTS(s, s16x2)
__BANKMODEL_EXTREMES_OF_PARTS(u, u16x2)
#define __BANKMODEL_POSITIVE(name)                                                           \
  __BANKMODEL_HD unsigned name##_relu(unsigned a, unsigned b, unsigned c) {                  \
    return __vmaxs2(name(a, b, c), 0);                                                       \
  }
__BANKMODEL_POSITIVE(__vimax3_s16x2) __BANKMODEL_POSITIVE(__vimin3_s16x2)
__BANKMODEL_POSITIVE(__viaddmax_s16x2) __BANKMODEL_POSITIVE(__viaddmin_s16x2)
__BANKMODEL_HD unsigned __vimax_s16x2_relu(unsigned a, unsigned b) {
  return __vmaxs2(__vmaxs2(a, b), 0);
}
__BANKMODEL_HD unsigned __vimin_s16x2_relu(unsigned a, unsigned b) {
  return __vmaxs2(__vmins2(a, b), 0);
}

// Sums of products of parts.
#define __BANKMODEL_PRODUCTS(T, char_type, short_type, char_vector, short_vector)            \
  __BANKMODEL_HD T __dp4a(T a, T b, T sum) {                                                 \
    for (int shift = 0; shift < 32; shift += 8)                                              \
      sum += (T)((char_type)(a >> shift) * (char_type)(b >> shift));                         \
    return sum;                                                                              \
  }                                                                                          \
  __BANKMODEL_HD T __dp2a_lo(T a, T b, T sum) {                                              \
    return sum + (T)((short_type)a * (char_type)b) +                                         \
           (T)((short_type)(a >> 16) * (char_type)(b >> 8));                                 \
  }                                                                                          \
  __BANKMODEL_HD T __dp2a_hi(T a, T b, T sum) { return __dp2a_lo(a, b >> 16, sum); }         \
  __BANKMODEL_HD T __dp4a(char_vector a, char_vector b, T sum) {                             \
    return __dp4a(__builtin_bit_cast(T, a), __builtin_bit_cast(T, b), sum);                  \
  }                                                                                          \
  __BANKMODEL_HD T __dp2a_lo(short_vector a, char_vector b, T sum) {                         \
    return __dp2a_lo(__builtin_bit_cast(T, a), __builtin_bit_cast(T, b), sum);               \
  }                                                                                          \
  __BANKMODEL_HD T __dp2a_hi(short_vector a, char_vector b, T sum) {                         \
    return __dp2a_hi(__builtin_bit_cast(T, a), __builtin_bit_cast(T, b), sum);               \
  }
__BANKMODEL_PRODUCTS(int, signed char, short, char4, short2)
__BANKMODEL_PRODUCTS(unsigned, unsigned char, unsigned short, uchar4, ushort2)
)prelude";

}  // namespace

std::string words_prelude() { return lanes_text; }

}  // namespace compiled
