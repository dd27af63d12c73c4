// SPDX-License-Identifier: MIT
#include <bankmodel/model/geometry.hpp>

#include <concepts>

namespace bm = bankmodel;

// Structural: the same object is a value and a template argument.
template <bm::geometry G>
struct takes {
  static constexpr int banks = G.bank_num;
};
constexpr bm::geometry kepler{.bank_num = 32, .W = 8, .N = 4, .M = 4};
static_assert(takes<kepler>::banks == 32);

// Type and value are interchangeable and agree.
static_assert(std::convertible_to<bm::bank_geometry<32, 8, 4, 4>, bm::geometry>);
static_assert(bm::geometry(bm::bank_geometry<32, 8, 4, 4>{}) == kepler);
static_assert(bm::bank_geometry<32, 8, 4, 4>::bank_num == 32 &&
              bm::bank_geometry<32, 8, 4, 4>::W == 8);
static_assert(bm::bank_geometry<32, 8, 4, 4>::N == 4 && bm::bank_geometry<32, 8, 4, 4>::M == 4);
static_assert(kepler != bm::geometry{32, 8, 8, 4});

// Dissertation, table 4.1: the four mapping cases, and other combinations.
static_assert(bm::bank_geometry<32, 8, 4, 4>{}.mapping() == bm::mapping::row_major);
static_assert(bm::bank_geometry<32, 4, 4, 4>{}.mapping() == bm::mapping::conventional);
static_assert(bm::bank_geometry<32, 8, 4, 8>{}.mapping() == bm::mapping::wide);
static_assert(bm::bank_geometry<32, 8, 8, 4>{}.mapping() == bm::mapping::column_major);
static_assert(bm::bank_geometry<32, 8, 4, 2>{}.mapping() == bm::mapping::mixed);   // M < N < W
static_assert(bm::bank_geometry<32, 16, 4, 8>{}.mapping() == bm::mapping::mixed);  // N < M < W
static_assert(bm::bank_geometry<1, 1, 1, 1>{}.mapping() == bm::mapping::conventional);

// The rule itself, against division that rounds down, over every geometry with few banks and
// addresses on both sides of zero.
constexpr long long floor_divide(long long a, long long b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}
constexpr bool follows_the_rule() {
  for (int bank_num = 1; bank_num <= 8; bank_num *= 2)
    for (int W = 1; W <= 8; W *= 2)
      for (int N = 1; N <= W; N *= 2) {
        const bm::geometry g{bank_num, W, N, 1};
        for (long long a = -150; a <= 150; ++a) {
          const long long word = floor_divide(a, N);
          if (g.bank(a) != word - floor_divide(word, bank_num) * bank_num) return false;
          if (g.layer(a) != floor_divide(a, bank_num * W)) return false;
        }
      }
  return true;
}
static_assert(follows_the_rule());

// The examples of the header.
static_assert(kepler.bank(132) == 1 && kepler.layer(132) == 0);
static_assert(kepler.bank(260) == 1 && kepler.layer(260) == 1);

// The largest ones.
static_assert(bm::geometry{256, 1024, 1024, 1024}.layer(1ll << 40) == 1ll << 22);
static_assert(bm::geometry{256, 1024, 1024, 1024}.bank((1ll << 40) + 1024) == 1);
