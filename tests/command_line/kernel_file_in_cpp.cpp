// SPDX-License-Identifier: MIT
// The notation beside C++: the same text is compiled and run thread by thread, with arrays that
// record their accesses, and read as a kernel file. Every thread accesses the same elements.
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>
#include <utility>

#include "one_thread.hpp"

using namespace one_thread;

namespace {

// ---- C++ with arrays that record ----

events* recorded = nullptr;

struct recorded_element {
  int index;  // as large as an element
  operator int() const { return recorded->push_back({'l', index}), 1; }
  int operator=(int value) const { return recorded->push_back({'s', index}), value; }
  int operator=(const recorded_element& other) const { return *this = static_cast<int>(other); }
  int operator+=(int value) const { return *this = *this + value; }
  int operator^=(int value) const { return *this = *this ^ value; }
  int operator++() const { return *this += 1; }
  int operator++(int) const { return *this += 1; }
  int operator--(int) const { return *this += -1; }
};
struct recorded_array {
  template <std::integral Index>
  recorded_element operator[](Index number) const {
    return {static_cast<int>(number)};
  }
};
// Memory that the notation does not know: every element is one.
struct other_memory {
  int element = 1;
  int& operator[](long long) { return element = 1; }
};

constexpr three blockDim{16, 4, 1};
constexpr three gridDim{1, 1, 1};
constexpr int warpSize = 32;

struct kernel {
  const char* text;
  void (*run)(const thread&, const recorded_array& a, other_memory input, other_memory output,
              int n);
};
#define KERNEL(...)                                                                              \
  {#__VA_ARGS__, [](const thread& of, const recorded_array& a, [[maybe_unused]] other_memory in, \
                    [[maybe_unused]] other_memory out, [[maybe_unused]] int n) {                 \
     [[maybe_unused]] const three threadIdx = of.threadIdx, blockIdx = of.blockIdx;              \
     __VA_ARGS__                                                                                 \
   }}

cl::kernel_file read(const std::string& text) {
  const cl::source input{"test", head + text};
  try {
    return cl::read_kernel_file(input);
  } catch (const cl::refusal& reason) {
    FAIL_CHECK(cl::text(input, reason));
    return {};
  }
}

// Of the first thread that differs: its accesses in C++, and in the notation.
std::pair<std::string, std::string> difference(const kernel& tested) {
  const cl::kernel_file file = read(tested.text);
  for (unsigned y = 0; y < blockDim.y; ++y)
    for (unsigned x = 0; x < blockDim.x; ++x) {
      const thread current{{x, y, 0}, {0, 0, 0}};
      events expected;
      recorded = &expected;
      tested.run(current, {}, {}, {}, 3);
      std::sort(expected.begin(), expected.end());
      const events actual = of_notation(file, current);
      const std::string place = std::to_string(x) + ", " + std::to_string(y) + ": ";
      if (actual != expected) return {place + text_of(expected), place + text_of(actual)};
    }
  return {};
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
    KERNEL(for (int j = 3; j < 4; --j) {
      if (j < -20) break;
    } a[1] = 1;),
    KERNEL(for (int j = 0; j < 8; j -= -2) a[j] = 1; for (int j = 9; j != 3; j -= 2) a[j] = 2;),
    KERNEL(int i; for (i = 0; i < 4; i++) a[4 * i] = 1;),
    KERNEL(int i = 3; for (i = 1; i < 40; i *= 3) a[i + threadIdx.x] = 1;),
    KERNEL(for (int i = 0; i < 4; i++) {
      if (i == 2) continue;
      a[i + threadIdx.x] = 1;
    }),
    KERNEL(for (int i = 0; i < 4; i++) {
      if (threadIdx.x > i) {
        if (threadIdx.x % 2 == 0) continue;
        a[i] = 1;
      }
      a[100 + i] = 1;
    }),
    KERNEL(for (unsigned j = 0; j < 4u; ++j) for (int k = j; k >= 0; --k) a[4 * j + k] = 1;),
    KERNEL(for (auto j = 0u; j < 3; ++j) a[j - 1 & 15] = 1;),
    KERNEL(for (int i = threadIdx.x; i < 64; i += blockDim.x) a[i] = a[63 - i];),
    KERNEL(for (int i = threadIdx.x; i != 16; ++i) a[i] = 1;),
    // conditions and values
    KERNEL(int r = threadIdx.x < 8 ? threadIdx.x : 15 - threadIdx.x; a[r] = 1;),
    KERNEL(a[threadIdx.x % 3 == 0 && threadIdx.x > 4 ? 1
             : threadIdx.x == 2                      ? 7
                                                     : 9] = 1;),
    KERNEL(a[(threadIdx.x > 3) * 4 + (threadIdx.x != 7) + !(threadIdx.x <= 9)] = 1;),
    KERNEL(bool p = threadIdx.x < 5; if (p) a[1] = 1; if (!p || threadIdx.y == 1) a[2] = p;),
    KERNEL(int v = threadIdx.x < 5 ? a[threadIdx.x] : 7;),
    KERNEL(int v = threadIdx.x < 5 && a[threadIdx.x] > 3 && n; v += threadIdx.x > 3 || a[50];),
    KERNEL(int s = sizeof(a[threadIdx.x]); a[s] = 1; a[sizeof(float) * 2] = 1;),
    KERNEL(a[threadIdx.x]++; ++a[threadIdx.x + 64]; a[1]--; a[2] ^= 3; a[3] = a[4] = 5;),
    KERNEL(constexpr int N = 4; const int M = N * 2; a[N * threadIdx.x + M] = 1;),
    KERNEL(auto x = threadIdx.x + 1; auto y = (int)x - 2; if (y < 0) a[x] = 1; else a[y] = 1;),
    KERNEL(float f = (float)a[threadIdx.x] * 0.5f; double d = double(a[1]); a[2] = int(f + d);),
    KERNEL(int x = 1; {
      int x = 2;
      a[x] = 1;
    } a[x] = 2;),
    KERNEL(int x = threadIdx.x; x += 3; a[x] = 1; x = 2 * x; a[x]++; x -= 1; ++x; a[x] = 1;),
    KERNEL(int x = threadIdx.x; if (x > 7) x = 15 - x; a[x] = 1;),
    KERNEL(int x = threadIdx.x; if (x > 7) x -= 8; else {
      x++;
      a[x + 100] = 1;
    } a[x] = 1;),
    KERNEL(unsigned sum = 0; for (int i = 0; i < 3; ++i) sum += a[i]; out[0] = sum;),
    KERNEL(int x; x = threadIdx.x ^ 1; a[x] = 1; int i = static_cast<int>(threadIdx.x) - 1;
           if (i >= 0) a[i] = 1;),
    KERNEL(for (int i = 0; i < 3; ++i) {
      int r = i + threadIdx.x;
      r *= 2;
      a[r] = 1;
    }),
    KERNEL(int x = threadIdx.x; a[x++] = 1; a[x] = 1; a[x--] = 2; a[++x] = 3; a[--x] = 4;),
    KERNEL(int x = 3; int y = x++ * 2 + 1; a[y] = 1; a[64 + x] = 2;
           for (int i = x++; i < 6; ++i) a[i] = x;),
    KERNEL(unsigned char c = 0; a[c = threadIdx.x + 300] = 1; int y = c -= 50; a[y] = 1; y = c++;
           a[y] = 1;),
    KERNEL(bool b = false; int y = (b = 5) + 2; a[y] = 1; short s;
           a[(s = threadIdx.x + 65537) + 1] = 1;),
    KERNEL(int x = 3; out[0] = sizeof(x++) + sizeof x; a[x] = 1;),
    KERNEL(int x = 1; int y = x = 2; a[x] = y; x = y = threadIdx.x; a[x + y] = 1;),
    KERNEL(bool odd = threadIdx.x & 1; int k = odd ? 3 : 5; a[k] = 1; a[odd] = 2;),
    // early return, and what cannot reach the array
    KERNEL(if (threadIdx.x >= 10) return; a[threadIdx.x] = 1; if (threadIdx.x == 3) return;
           a[20] = 1;),
    KERNEL(if (threadIdx.x > 2) {
      if (threadIdx.y == 1) {
        a[1] = 1;
        return;
      }
      a[2] = 1;
    } a[3] = 1;),
    KERNEL(int q = n * 3 + in[n]; out[q] = 3; for (int i = 0; i < n; ++i) { q += i; } a[1] = q;),
    KERNEL(
        int k = 0; while (k < n) { k += 2; } do { --k; } while (k > 0); a[5] = 1;),
    KERNEL(switch (n) {
      case 1: n = 2; break;
      default: n = 3;
    } a[6] = n;),
    KERNEL(out[threadIdx.x * n] = a[threadIdx.x] + in[n]; const int* p = nullptr;
           a[7] = p == nullptr;),
    KERNEL(float acc[4] = {0}; for (int i = 0; i < 4; ++i) acc[i] += a[i]; out[0] = acc[1];),
};

}  // namespace

TEST_CASE("kernels run as the same text in C++") {
  for (const kernel& tested : kernels) {
    INFO(tested.text);
    const auto [in_cpp, in_notation] = difference(tested);
    CHECK(in_notation == in_cpp);
  }
}
