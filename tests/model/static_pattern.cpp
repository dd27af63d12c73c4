// SPDX-License-Identifier: MIT
#include <bankmodel/model/pattern.hpp>

namespace bm = bankmodel;

template <auto P>
constexpr auto itself = P;  // structural
static_assert(itself<bm::access_1d{.stride = 3}> == bm::access_1d{3, 0, 0});
static_assert(itself<bm::access_2d{1, 16, 24, 2}>.repeat_y == 2);

// Table 4.3, for one transform with six different numbers.
constexpr bm::affine_transform t{.a11 = 2, .a12 = 3, .c1 = 5, .a21 = 7, .a22 = 11, .c2 = 13};
static_assert(bm::stride_pattern(t, 100, 16, 32) == bm::access_2d{702, 16, 1103, 2, 1305});
static_assert(bm::stride_pattern(t, 100, 8, 32) == bm::access_2d{702, 8, 1103, 4, 1305});
static_assert(bm::stride_pattern(t, 100, 1, 32) == bm::access_2d{702, 1, 1103, 32, 1305});
static_assert(bm::stride_pattern(t, 100, 32, 32) == bm::access_2d{702, 32, 1103, 1, 1305});
static_assert(bm::stride_pattern(t, 100, 64, 32) == bm::access_2d{702, 32, 1103, 1, 1305});

// Each lane, compared with the thread's own element: the thread of lane n is (n % block_x, n /
// block_x).
constexpr bool every_lane_agrees() {
  for (int block_x = 1; block_x <= 64; block_x *= 2) {
    const bm::access_2d p = bm::stride_pattern(t, 37, block_x, 32);
    if (p.repeat_x * p.repeat_y != 32) return false;
    for (int lane = 0; lane < 32; ++lane) {
      const int x = lane % block_x, y = lane / block_x;
      const long long element = (t.a21 * x + t.a22 * y + t.c2) * 37 + t.a11 * x + t.a12 * y + t.c1;
      if (p.offset + p.stride_x * (lane % p.repeat_x) + p.stride_y * (lane / p.repeat_x) != element)
        return false;
    }
  }
  return true;
}
static_assert(every_lane_agrees());

// The example of the header: threads in rows of 24.
static_assert(bm::stride_pattern({1, 0, 0, 0, 1, 0}, 24, 16, 32) == bm::access_2d{1, 16, 24, 2});
