// SPDX-License-Identifier: MIT
// Statements of the dissertation (S. Gao, Improving GPU Shared Memory Access Efficiency, 2014)
// and of the lecture on coalescing: each one as a test, and if counting disagrees, with the
// smallest example.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include "catch.hpp"

#include <numeric>

namespace bm = bankmodel;

namespace {

bm::geometry row_major(int bank_num, int rows) { return {bank_num, 4 * rows, 4, 4}; }
bm::geometry column_major(int bank_num, int rows) { return {bank_num, 4 * rows, 4 * rows, 4}; }

// Algorithm 4.1 as printed, for strides that are powers of two. It adds 1 "if the offset
// matters" and does not define that; here: if the warp touches one more layer than from offset
// 0.
int algorithm_4_1(int bank_num, int rows, int stride, int offset) {
  const int common = std::gcd(stride, bank_num), layer = bank_num * rows;
  if (stride >= layer) return bank_num;
  const int degree = stride % bank_num == 0 ? (common * (stride / bank_num) + rows - 1) / rows
                                            : (common + rows - 1) / rows;
  const auto layers_from = [&](int first) {
    return (first + (bank_num - 1) * stride) / layer - first / layer;
  };
  return degree + (layers_from(offset % layer) > layers_from(0) ? 1 : 0);
}

// Algorithm 4.2 as printed, for other even strides sigma * 2^e with 2^e < bank_num: it goes
// through the rows of all groups and adds 1 at each change of layer.
int algorithm_4_2(int bank_num, int rows, int stride, int offset) {
  int groups = 1, sigma = stride;
  for (; sigma % 2 == 0; sigma /= 2) groups *= 2;
  int degree = 1;
  for (int row = 0; row < sigma; ++row)
    for (int group = 1; group < groups; ++group) {
      const auto layer_of = [&](int g) { return (offset / bank_num + row + g * sigma) / rows; };
      if (layer_of(group) != layer_of(group - 1)) ++degree;
    }
  return degree;
}

}  // namespace

TEST_CASE("table 4.1: the example architectures are the four mapping cases", "[paper]") {
  CHECK(bm::geometry{32, 8, 4, 4}.mapping() == bm::mapping::row_major);
  CHECK(bm::geometry{16, 4, 4, 4}.mapping() == bm::mapping::conventional);
  CHECK(bm::geometry{32, 8, 8, 8}.mapping() == bm::mapping::conventional);
  CHECK(bm::geometry{32, 8, 4, 8}.mapping() == bm::mapping::wide);
  CHECK(bm::geometry{32, 8, 8, 4}.mapping() == bm::mapping::column_major);
  CHECK(bm::geometry{32, 8, 4, 2}.mapping() == bm::mapping::mixed);
}

TEST_CASE("4.3.1: the degree on conventional banks is gcd(stride, bank_num), whatever the offset",
          "[paper]") {
  for (int bank_num = 1; bank_num <= 64; bank_num *= 2)
    for (int stride = 1; stride <= 300; ++stride)
      for (int offset = 0; offset < 5; ++offset)
        REQUIRE(bm::degree(bm::geometry{bank_num, 4, 4, 4}, bm::access_1d{stride, offset}) ==
                std::gcd(stride, bank_num));
}

TEST_CASE("4.4.1: odd strides never conflict on row-major banks", "[paper]") {
  for (int bank_num = 1; bank_num <= 64; bank_num *= 2)
    for (int rows = 2; rows <= 8; rows *= 2)
      for (int stride = 1; stride <= 301; stride += 2)
        for (int offset = 0; offset < bank_num * rows; offset += 3)
          REQUIRE(bm::degree(row_major(bank_num, rows), bm::access_1d{stride, offset}) == 1);
}

TEST_CASE("algorithm 4.1 agrees with counting if 'the offset matters' means one more layer",
          "[paper]") {
  for (int bank_num = 2; bank_num <= 32; bank_num *= 2)
    for (int rows = 2; rows <= 4; rows *= 2)
      for (int stride = 2; stride <= 1024; stride *= 2)
        for (int offset = 0; offset < bank_num * rows; ++offset)
          REQUIRE(bm::degree(row_major(bank_num, rows), bm::access_1d{stride, offset}) ==
                  algorithm_4_1(bank_num, rows, stride, offset));
  // Not every offset matters: stride 2 from element 1 stays conflict-free, from element 32 it
  // is two-way.
  CHECK(bm::degree(row_major(32, 2), bm::access_1d{2, 1}) == 1);
  CHECK(bm::degree(row_major(32, 2), bm::access_1d{2, 32}) == 2);
}

TEST_CASE("algorithm 4.2 adds up changes of layer over all rows; the degree is the worst bank's",
          "[paper]") {
  // The smallest example: 4 banks of two rows, stride 6, elements 0 6 12 18. Banks 0 and 2 hold
  // two layers each.
  CHECK(algorithm_4_2(4, 2, 6, 0) == 4);
  CHECK(bm::degree(row_major(4, 2), bm::access_1d{6, 0}) == 2);
  bool smaller = false;  // none below it disagrees
  for (int stride = 2; stride < 6; stride += 2)
    for (int offset = 0; offset < 8; ++offset)
      smaller = smaller || bm::degree(row_major(4, 2), bm::access_1d{stride, offset}) !=
                               algorithm_4_1(4, 2, stride, offset);
  CHECK_FALSE(smaller);
}

TEST_CASE(
    "appendix A-3: with two rows, an odd stride on column-major banks conflicts two-way or not at "
    "all",
    "[paper]") {
  bool two_way = false;
  for (int bank_num = 2; bank_num <= 64; bank_num *= 2)
    for (int stride = 1; stride <= 2001; stride += 2)
      for (int offset = 0; offset < 2; ++offset) {
        const int degree = bm::degree(column_major(bank_num, 2), bm::access_1d{stride, offset});
        REQUIRE(degree <= 2);
        two_way = two_way || degree == 2;
      }
  CHECK(two_way);
  // It takes two rows: with four, stride 43 is four-way.
  CHECK(bm::degree(column_major(32, 4), bm::access_1d{43}) == 4);
}

TEST_CASE("appendix A-1: strides below R never conflict on column-major banks", "[paper]") {
  for (int bank_num = 2; bank_num <= 64; bank_num *= 2)
    for (int rows = 2; rows <= 8; rows *= 2)
      for (int stride = 1; stride < rows; ++stride)
        for (int offset = 0; offset < rows; ++offset)
          // The warp spans up to bank_num * stride / R + 1 words: one more than the banks is
          // impossible below R.
          REQUIRE(bm::degree(column_major(bank_num, rows), bm::access_1d{stride, offset}) == 1);
}

TEST_CASE("6.3.1: strides sigma * R, sigma odd, are conflict-free on column-major banks",
          "[paper]") {
  for (int bank_num = 2; bank_num <= 64; bank_num *= 2)
    for (int rows = 2; rows <= 8; rows *= 2)
      for (int sigma = 1; sigma <= 101; sigma += 2)
        for (int offset = 0; offset < rows; ++offset)
          REQUIRE(bm::degree(column_major(bank_num, rows), bm::access_1d{sigma * rows, offset}) ==
                  1);
}

TEST_CASE("4.3.2 and appendix A-2: the degree repeats after a layer of elements", "[paper]") {
  for (const auto& g :
       {bm::geometry{32, 8, 4, 4}, bm::geometry{32, 8, 8, 4}, bm::geometry{32, 8, 4, 8},
        bm::geometry{32, 4, 4, 4}, bm::geometry{8, 8, 2, 4}, bm::geometry{8, 8, 4, 1}})
    for (int offset = 0; offset < 300; ++offset) {
      const int layer = g.bank_num * g.W / g.M;
      for (int stride = 0; stride < 40; ++stride)
        REQUIRE(bm::degree(g, bm::access_1d{stride, offset + layer}) ==
                bm::degree(g, bm::access_1d{stride, offset}));
      const bm::access_2d block{
          .stride_x = 1, .repeat_x = 2, .stride_y = 3, .repeat_y = 4, .offset = offset};
      bm::access_2d later = block;
      later.offset += layer;
      REQUIRE(bm::degree(g, later) == bm::degree(g, block));
    }
}

TEST_CASE("table 4.3: the 2D stride of a warp from the affine transform", "[paper]") {
  // The identity: column = threadIdx.x, row = threadIdx.y, in rows of 24.
  CHECK(bm::stride_pattern({1, 0, 0, 0, 1, 0}, 24, 16, 32) ==
        bm::access_2d{.stride_x = 1, .repeat_x = 16, .stride_y = 24, .repeat_y = 2});
  // The transpose: column = threadIdx.y, row = threadIdx.x.
  CHECK(bm::stride_pattern({0, 1, 0, 1, 0, 0}, 24, 16, 32) ==
        bm::access_2d{.stride_x = 24, .repeat_x = 16, .stride_y = 1, .repeat_y = 2});
  CHECK(bm::stride_pattern({2, 0, 3, 0, 1, 5}, 24, 8, 32) ==
        bm::access_2d{
            .stride_x = 2, .repeat_x = 8, .stride_y = 24, .repeat_y = 4, .offset = 5 * 24 + 3});
  CHECK(bm::stride_pattern({1, 0, 0, 0, 1, 0}, 64, 64, 32) ==
        bm::access_2d{.stride_x = 1, .repeat_x = 32, .stride_y = 64, .repeat_y = 1});
  CHECK_THROWS_AS(bm::stride_pattern({1, 0, 0, 0, 1, 0}, 64, 24, 32), bm::error);

  // Each element of the pattern is the one given by the thread's row and column.
  for (int block_x = 1; block_x <= 32; block_x *= 2)
    for (int a = 0; a < 81; ++a) {
      const bm::affine_transform t{a % 3, a / 3 % 3, 1, a / 9 % 3, a / 27, 2};
      const auto p = bm::stride_pattern(t, 40, block_x, 32);
      for (int thread = 0; thread < 32; ++thread) {
        const int x = thread % block_x, y = thread / block_x;
        const auto column = t.a11 * x + t.a12 * y + t.c1, row = t.a21 * x + t.a22 * y + t.c2;
        REQUIRE(p.offset + p.stride_x * (thread % p.repeat_x) +
                    p.stride_y * (thread / p.repeat_x) ==
                row * 40 + column);
      }
    }
}

TEST_CASE(
    "6.4: 3DFD is conflict-free with 24 columns of padding and not fewer at N = 4, with none at N "
    "= 8",
    "[paper]") {
  using namespace bm::index;
  const auto conflicts = [](const bm::machine& gpu, int padding) {
    const auto s_data = bm::shared_array<float>("s_data", 24, 24 + padding);
    const auto stencil =
        bm::kernel(bm::block_dim{16, 16}, bm::load(s_data[ty + 4][tx + 4]),
                   bm::load(s_data[ty + 4][tx + 3]), bm::load(s_data[ty + 3][tx + 4]));
    return bm::total(gpu, stencil).conflicts();
  };
  for (int padding = 0; padding < 24; ++padding) CHECK(conflicts(bm::nvidia::sm_35, padding) > 0);
  CHECK(conflicts(bm::nvidia::sm_35, 24) == 0);
  CHECK(conflicts(bm::nvidia::sm_35.with_bank_width(8), 0) == 0);
}

TEST_CASE("lecture: a column of a 32 x 32 tile is a 32-way conflict that costs 16 passes on Kepler",
          "[paper]") {
  using namespace bm::index;
  const auto tile = bm::shared_array<float>("tile", 32, 32);
  const auto column = bm::load(tile[tx][ty]);
  const bm::block_dim one_warp{32};
  CHECK(bm::total(bm::nvidia::sm_50, one_warp, column).wavefronts == 32);
  CHECK(bm::total(bm::nvidia::sm_37, one_warp, column).wavefronts == 16);
  CHECK(bm::total(bm::nvidia::sm_37.with_bank_width(8), one_warp, column).wavefronts == 16);
}

TEST_CASE("hardware facts 2.3: a padded tile's columns on Kepler's 8-byte banks", "[paper]") {
  using namespace bm::index;
  const auto padded = bm::shared_array<float>("padded", 32, 33);
  for (int column = 0; column < 32; ++column) {
    const auto read = bm::load(padded[tx][column]);
    CHECK(bm::total(bm::nvidia::sm_35, bm::block_dim{32}, read).degree == 1);
    CHECK(bm::total(bm::nvidia::sm_35.with_bank_width(8), bm::block_dim{32}, read).degree ==
          (column % 2 == 0 ? 1 : 2));
  }
}
