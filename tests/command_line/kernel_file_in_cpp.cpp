// SPDX-License-Identifier: MIT
// The notation beside C++: the same text is compiled and run thread by thread, with arrays that
// record their accesses, and read as a kernel file. Every thread accesses the same elements.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "catch.hpp"
#include "examples/bankmodel/answer.hpp"

// The texts are ordinary kernels, and are compiled as they are.
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wfloat-conversion"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wunused-value"
#ifdef __clang__
#pragma clang diagnostic ignored "-Wconstant-conversion"
#pragma clang diagnostic ignored "-Wtautological-compare"
#endif

namespace cl = command_line;
namespace bm = bankmodel;

namespace {

// ---- C++ with arrays that record ----

// "load" or "store" of an element.
using event = std::pair<char, long long>;
using events = std::vector<event>;
events* recorded = nullptr;

struct recorded_element {
  long long at;
  operator int() const { return recorded->push_back({'l', at}), 1; }
  int operator=(int value) const { return recorded->push_back({'s', at}), value; }
  int operator=(const recorded_element& other) const { return *this = static_cast<int>(other); }
  int operator+=(int value) const { return *this = *this + value; }
  int operator^=(int value) const { return *this = *this ^ value; }
  int operator++() const { return *this += 1; }
  int operator++(int) const { return *this += 1; }
  int operator--(int) const { return *this += -1; }
};
struct recorded_array {
  template <std::integral Index>
  recorded_element operator[](Index at) const {
    return {static_cast<long long>(at)};
  }
};
// Memory that the notation does not know: every element is one.
struct other_memory {
  int one = 1;
  int& operator[](long long) { return one = 1; }
};

struct three {
  unsigned x, y, z;
};
struct thread {
  three threadIdx, blockIdx;
};
constexpr three blockDim{16, 4, 1};
constexpr three gridDim{1, 1, 1};
constexpr int warpSize = 32;

template <class A, class B>
using common = std::common_type_t<decltype(+A()), decltype(+B())>;
template <class A, class B>
common<A, B> min(A a, B b) {
  return static_cast<common<A, B>>(a) < static_cast<common<A, B>>(b) ? a : b;
}
template <class A, class B>
common<A, B> max(A a, B b) {
  return static_cast<common<A, B>>(a) > static_cast<common<A, B>>(b) ? a : b;
}
struct kernel {
  const char* text;
  void (*run)(const thread&, const recorded_array& a, other_memory in, other_memory out, int n);
};
#define KERNEL(...)                                                                   \
  {#__VA_ARGS__, [](const thread& of, const recorded_array& a, [[maybe_unused]] other_memory in, \
                    [[maybe_unused]] other_memory out, [[maybe_unused]] int n) {      \
     [[maybe_unused]] const three threadIdx = of.threadIdx, blockIdx = of.blockIdx;   \
     __VA_ARGS__                                                                      \
   }}

// ---- the notation, thread by thread ----

using values = std::array<long long, bm::variables>;

long long evaluate(const bm::node* nodes, int size, const values& at) {
  std::vector<long long> stack;
  for (int k = 0; k < size; ++k) {
    const bm::node& one = nodes[k];
    if (one.op == bm::operation::constant || one.op == bm::operation::variable) {
      stack.push_back(one.op == bm::operation::constant ? one.value
                                                        : at[static_cast<std::size_t>(one.value)]);
      continue;
    }
    long long& last = stack.back();
    if (one.op == bm::operation::negate || one.op == bm::operation::logical_not) {
      last = one.op == bm::operation::negate ? -last : last == 0;
      continue;
    }
    if (one.op == bm::operation::skip_if_false || one.op == bm::operation::skip_if_true) {
      if ((last != 0) == (one.op == bm::operation::skip_if_true))
        k += static_cast<int>(one.value);
      else
        stack.pop_back();
      continue;
    }
    const long long b = last;
    stack.pop_back();
    long long& a = stack.back();
    switch (one.op) {
      case bm::operation::add: a += b; break;
      case bm::operation::subtract: a -= b; break;
      case bm::operation::multiply: a *= b; break;
      case bm::operation::divide: a /= b; break;
      case bm::operation::remainder: a %= b; break;
      case bm::operation::shift_left: a *= 1ll << b; break;
      case bm::operation::shift_right: a >>= b; break;
      case bm::operation::bit_and: a &= b; break;
      case bm::operation::bit_or: a |= b; break;
      case bm::operation::bit_xor: a ^= b; break;
      case bm::operation::minimum: a = std::min(a, b); break;
      case bm::operation::maximum: a = std::max(a, b); break;
      case bm::operation::less: a = a < b; break;
      case bm::operation::less_equal: a = a <= b; break;
      case bm::operation::equal: a = a == b; break;
      case bm::operation::not_equal: a = a != b; break;
      default: FAIL("an operation that the notation does not have");
    }
  }
  return stack.back();
}

void run(const cl::access_expression& of, int depth, values& at, events& to) {
  const auto worth = [&](const bm::slice& program) {
    return evaluate(of.nodes + program.first, program.size, at);
  };
  if (depth == of.depth) {
    const long long element = worth(of.subscript[0]);
    to.push_back({of.kind == bm::access_kind::load ? 'l' : 's', element});
    return;
  }
  const bm::wrapper& w = of.wrappers[depth];
  if (w.kind == bm::wrapper_kind::filter) {
    if (worth(w.first) != 0) run(of, depth + 1, at, to);
    return;
  }
  const long long last = worth(w.last), step = worth(w.step);
  const bool up = w.kind == bm::wrapper_kind::powers_up ||
                  (w.kind == bm::wrapper_kind::range && step > 0);
  long long& v = at[static_cast<std::size_t>(w.variable)];
  for (v = worth(w.first); up ? v < last : v > last;) {
    const long long now = v;
    run(of, depth + 1, at, to);
    v = w.kind == bm::wrapper_kind::range       ? now + step
        : w.kind == bm::wrapper_kind::powers_up ? now * step
                                                : now / step;
  }
}

events of_notation(const cl::kernel_file& file, const thread& of) {
  const long long tx = of.threadIdx.x, ty = of.threadIdx.y, tid = tx + 16 * ty;
  events result;
  for (const cl::kernel_access& one : file.accesses) {
    values at{tx, ty, 0, 0, 0, 0, tid, tid % 32, tid / 32};
    run(one.expression, 0, at, result);
  }
  std::sort(result.begin(), result.end());
  return result;
}

cl::kernel_file read(const std::string& text) {
  const cl::source given{"test", "block 16 4\nshared int a[65536]\n" + text};
  try {
    return cl::read_kernel_file(given);
  } catch (const cl::refusal& why) {
    FAIL(cl::text(given, why));
    throw;
  }
}

const kernel kernels[] = {
    // unsigned
    KERNEL(int s = 0; for (int i = -1; i < blockDim.x; i++) s += a[i];),
    KERNEL(if (-1 < blockDim.x) a[threadIdx.x] = 1; else a[3] = 2;),
    KERNEL(unsigned x = threadIdx.x - 1; if (x < 8) a[x] = 1;),
    KERNEL(if (threadIdx.x - 1 < 7) a[threadIdx.x] = 1;),
    KERNEL(if (threadIdx.x > -1) a[1] = 1; else a[2] = 1;),
    KERNEL(int i = a[max(threadIdx.x - 8, 0) & 4095];),
    KERNEL(int i = a[min(threadIdx.x - 8, 31)];),
    KERNEL(int i = a[(~threadIdx.x) >> 20 & 4095];),
    KERNEL(int i = a[-1u >> 24]; i = a[-1u & 15]; i = a[0u - threadIdx.x & 255];),
    KERNEL(int i = a[threadIdx.x - 1 + 1]; i = a[(threadIdx.x - 4) / 16 % 4096];),
    KERNEL(for (unsigned i = threadIdx.x - 1; i > 0; i >>= 1) a[i & 63] = 1;),
    KERNEL(for (unsigned i = threadIdx.x; i > 0; i /= 2) a[i] = 1;),
    KERNEL(for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) if (threadIdx.x < s) a[threadIdx.x] +=
           a[threadIdx.x + s];),
    KERNEL(for (unsigned i = 15; i < 16; --i) a[i + threadIdx.x] = 1;),
    KERNEL(for (unsigned i = threadIdx.x; i < blockDim.x; i -= 3) a[i] = 1;),
    KERNEL(for (unsigned i = 7; i != -1; --i) a[i] = 1;),
    KERNEL(for (unsigned i = 1; i != 0; i <<= 1) a[i & 1023] = 1;),
    KERNEL(for (unsigned i = 5; i > 7; ++i) a[i] = 1; a[0] = 1;),
    KERNEL(for (int i = 7; i < blockDim.x; --i) a[i] = 1;),
    KERNEL(for (unsigned i = 4294967290u; i > 5; ++i) a[i & 15] = 1;),
    KERNEL(int i = a[(threadIdx.x * 2654435761u) >> 27];),
    KERNEL(int i = a[(threadIdx.x * 2654435761u + 12345u) % 64u];),
    KERNEL(if ((threadIdx.x ^ 0x80000000) > 0x80000007) a[threadIdx.x] = 1;),
    KERNEL(unsigned char c = 37 * threadIdx.x; a[c] = 1; short t = c * 997; a[t & 511] = 1;),
    KERNEL(signed char c = 37 * threadIdx.x; if (c < 0) a[-c] = 1; else a[c] = 2;),
    KERNEL(uint16_t c = threadIdx.x - 8; a[c] = 1; a[uint8_t(c)] = 1;),
    KERNEL(for (uint8_t i = 0; i < 12; ++i) a[i] = 1;),
    KERNEL(for (unsigned char i = 3; i < 10; --i) a[i] = 1;),
    // 64 bits
    KERNEL(long long x = threadIdx.x - 1; a[x & 31] = 1; if (x < 0) a[1] = 1; else a[2] = 2;),
    KERNEL(long long x = (int)threadIdx.x - 1; if (x < 0) a[1] = 1; else a[2] = 2;),
    KERNEL(if (threadIdx.x - 1 < 5ll) a[1] = 1;),
    KERNEL(int x = threadIdx.x + 4294967296; a[x] = 1;),
    KERNEL(int x = threadIdx.x * 1073741824ll >> 3 & 7; a[x] = 1;),
    KERNEL(int x = threadIdx.x * 1073741824ll; a[(x >> 28) + 64] = 1;),
    KERNEL(int i = a[(1u << 31) >> 25]; i = a[(1ll << 40) >> 38]; i = a[0xffffffff >> 26];),
    KERNEL(for (long long j = 0; j < 8; ++j) a[16 * j + threadIdx.x] = 1;),
    KERNEL(for (size_t j = threadIdx.x; j < 64; j += blockDim.x) a[j] = 1;),
    KERNEL(size_t base = 16 * threadIdx.y; a[base + threadIdx.x] = 1;),
    // loops
    KERNEL(for (int j = 5; j < 3; ++j) a[j] = 1; a[1] = 1;),
    KERNEL(for (int j = 3; j < 4; --j) { if (j < -20) break; } a[1] = 1;),
    KERNEL(for (int j = 0; j < 8; j -= -2) a[j] = 1; for (int j = 9; j != 3; j -= 2) a[j] = 2;),
    KERNEL(int i; for (i = 0; i < 4; i++) a[4 * i] = 1;),
    KERNEL(int i = 3; for (i = 1; i < 40; i *= 3) a[i + threadIdx.x] = 1;),
    KERNEL(for (int i = 0; i < 4; i++) { if (i == 2) continue; a[i + threadIdx.x] = 1; }),
    KERNEL(for (int i = 0; i < 4; i++) {
      if (threadIdx.x > i) { if (threadIdx.x % 2 == 0) continue; a[i] = 1; }
      a[100 + i] = 1;
    }),
    KERNEL(for (unsigned j = 0; j < 4u; ++j) for (int k = j; k >= 0; --k) a[4 * j + k] = 1;),
    KERNEL(for (auto j = 0u; j < 3; ++j) a[j - 1 & 15] = 1;),
    KERNEL(for (int i = threadIdx.x; i < 64; i += blockDim.x) a[i] = a[63 - i];),
    KERNEL(for (int i = threadIdx.x; i != 16; ++i) a[i] = 1;),
    // conditions and values
    KERNEL(int r = threadIdx.x < 8 ? threadIdx.x : 15 - threadIdx.x; a[r] = 1;),
    KERNEL(a[threadIdx.x % 3 == 0 && threadIdx.x > 4 ? 1 : threadIdx.x == 2 ? 7 : 9] = 1;),
    KERNEL(a[(threadIdx.x > 3) * 4 + (threadIdx.x != 7) + !(threadIdx.x <= 9)] = 1;),
    KERNEL(bool p = threadIdx.x < 5; if (p) a[1] = 1; if (!p || threadIdx.y == 1) a[2] = p;),
    KERNEL(int v = threadIdx.x < 5 ? a[threadIdx.x] : 7;),
    KERNEL(int v = threadIdx.x < 5 && a[threadIdx.x] > 3 && n; v += threadIdx.x > 3 || a[50];),
    KERNEL(int s = sizeof(a[threadIdx.x]); a[s] = 1; a[sizeof(float) * 2] = 1;),
    KERNEL(a[threadIdx.x]++; ++a[threadIdx.x + 64]; a[1]--; a[2] ^= 3; a[3] = a[4] = 5;),
    KERNEL(constexpr int N = 4; const int M = N * 2; a[N * threadIdx.x + M] = 1;),
    KERNEL(auto x = threadIdx.x + 1; auto y = (int)x - 2; if (y < 0) a[x] = 1; else a[y] = 1;),
    KERNEL(float f = (float)a[threadIdx.x] * 0.5f; double d = double(a[1]); a[2] = int(f + d);),
    KERNEL(int x = 1; { int x = 2; a[x] = 1; } a[x] = 2;),
    KERNEL(int x = threadIdx.x; x += 3; a[x] = 1; x = 2 * x; a[x]++; x -= 1; ++x; a[x] = 1;),
    KERNEL(int x = threadIdx.x; if (x > 7) x = 15 - x; a[x] = 1;),
    KERNEL(int x = threadIdx.x; if (x > 7) x -= 8; else { x++; a[x + 100] = 1; } a[x] = 1;),
    KERNEL(unsigned sum = 0; for (int i = 0; i < 3; ++i) sum += a[i]; out[0] = sum;),
    KERNEL(int x; x = threadIdx.x ^ 1; a[x] = 1; int i = static_cast<int>(threadIdx.x) - 1; if (i >= 0) a[i] = 1;),
    KERNEL(for (int i = 0; i < 3; ++i) { int r = i + threadIdx.x; r *= 2; a[r] = 1; }),
    KERNEL(bool odd = threadIdx.x & 1; int k = odd ? 3 : 5; a[k] = 1; a[odd] = 2;),
    // early return, and what cannot reach the array
    KERNEL(if (threadIdx.x >= 10) return; a[threadIdx.x] = 1; if (threadIdx.x == 3) return; a[20] = 1;),
    KERNEL(if (threadIdx.x > 2) { if (threadIdx.y == 1) { a[1] = 1; return; } a[2] = 1; } a[3] = 1;),
    KERNEL(int q = n * 3 + in[n]; out[q] = 3; for (int i = 0; i < n; ++i) { q += i; } a[1] = q;),
    KERNEL(int k = 0; while (k < n) { k += 2; } do { --k; } while (k > 0); a[5] = 1;),
    KERNEL(switch (n) { case 1: n = 2; break; default: n = 3; } a[6] = n;),
    KERNEL(out[threadIdx.x * n] = a[threadIdx.x] + in[n]; const int* p = nullptr; a[7] = p == nullptr;),
    KERNEL(float acc[4] = {0}; for (int i = 0; i < 4; ++i) acc[i] += a[i]; out[0] = acc[1];),
};

}  // namespace

TEST_CASE("kernels run as the same text in C++") {
  for (const kernel& one : kernels) {
    const std::string text = one.text;
    DYNAMIC_SECTION(text) {
      const cl::kernel_file file = read(text);
      for (unsigned y = 0; y < blockDim.y; ++y)
        for (unsigned x = 0; x < blockDim.x; ++x) {
          const thread of{{x, y, 0}, {0, 0, 0}};
          events expected;
          recorded = &expected;
          one.run(of, {}, {}, {}, 3);
          std::sort(expected.begin(), expected.end());
          const events found = of_notation(file, of);
          INFO("thread " << x << ", " << y);
          if (found != expected) CHECK(found == expected);
        }
    }
  }
}
