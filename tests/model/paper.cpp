// SPDX-License-Identifier: MIT
// Statements of the dissertation (S. Gao, Improving GPU Shared Memory Access Efficiency, 2014)
// and of the lecture on coalescing: each one as a test, and if counting disagrees, with the
// smallest example.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include "catch.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

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

// Algorithm 4.3 for an odd stride, with the equations A.1.1 to A.1.6: pairs of elements in
// different rows of the layers, a multiple of all banks apart. `layers_from` rounds equation A.1.2,
// which prints the floor.
int algorithm_4_3(int bank_num, int rows, int stride, int offset, int (*layers_from)(int, int)) {
  struct visited_row {
    int column = 0, layers = 0;  // of its first element (A.1.1), and that it reaches into (A.1.2)
  };
  const int elements = bank_num / rows;  // of a row
  std::vector<visited_row> visited(static_cast<std::size_t>(rows));
  for (int i = 0; i < rows; ++i) {
    const int element = offset % rows + stride * i, column = element / rows;
    visited[static_cast<std::size_t>(element % rows)] = {
        column, layers_from(column + (elements - 1) * stride + 1, bank_num)};
  }
  std::map<int, std::set<int>> layers;  // by bank
  const auto add = [&](const visited_row& row, int number) {
    const int column = row.column + stride * number;
    layers[column % bank_num].insert(column / bank_num);
  };
  // A.1.4 and A.1.5: an element of one row, and one of the other that is layers further.
  const auto compare = [&](const visited_row& upper, const visited_row& other) {
    for (int x = 0; x < elements; ++x)
      for (int y = 0; y < elements; ++y) {
        const int distance = upper.column + stride * x - other.column - stride * y;
        if (distance <= 0 || distance % bank_num != 0 || distance / bank_num > upper.layers - 1)
          continue;
        add(upper, x);
        add(other, y);
      }
  };
  for (std::size_t i = 0; i + 1 < visited.size(); ++i)
    for (std::size_t j = i + 1; j < visited.size(); ++j) {
      compare(visited[i], visited[j]);
      compare(visited[j], visited[i]);
    }
  std::size_t result = 1;
  for (const auto& [bank, own] : layers) result = std::max(result, own.size());
  return static_cast<int>(result);
}
int rounded_down(int dividend, int divisor) { return dividend / divisor; }
int rounded_up(int dividend, int divisor) { return (dividend + divisor - 1) / divisor; }

// 5.1.1: after so many warps the offset within a layer of row-major banks is the same.
int period_of_warps(int rows, int stride) {
  int power = 1, sigma = stride;
  for (; sigma % 2 == 0; sigma /= 2) power *= 2;
  return power >= rows ? 1 : std::lcm(sigma, rows / power) / sigma;
}

}  // namespace

TEST_CASE("table 4.1: the example architectures are the four mapping cases", "[paper]") {
  CHECK(bm::geometry{32, 8, 4, 4}.mapping() == bm::mapping::row_major);
  CHECK(bm::geometry{16, 4, 4, 4}.mapping() == bm::mapping::conventional);
  CHECK(bm::geometry{32, 8, 8, 8}.mapping() == bm::mapping::conventional);
  CHECK(bm::geometry{32, 8, 4, 8}.mapping() == bm::mapping::wide);
  CHECK(bm::geometry{32, 8, 8, 4}.mapping() == bm::mapping::column_major);
  CHECK(bm::geometry{32, 8, 4, 2}.mapping() == bm::mapping::mixed);
  // The table's Fermi has the 16 banks of Tesla; NVIDIA's has 32 (CUDA C Programming Guide 4.2,
  // section F.4.3).
  CHECK(bm::nvidia::sm_13.banks(4, bm::access_kind::load).bank_num == 16);
  CHECK(bm::nvidia::sm_20.banks(4, bm::access_kind::load).bank_num == 32);
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

TEST_CASE("algorithm 4.3 and equations A.1 agree with counting if A.1.2 rounds up", "[paper]") {
  for (int bank_num = 4; bank_num <= 64; bank_num *= 2)
    for (int rows = 2; rows <= 8 && rows < bank_num; rows *= 2)
      for (int stride = rows + 1; stride <= 201; stride += 2)
        for (int offset = 0; offset < rows; ++offset)
          REQUIRE(algorithm_4_3(bank_num, rows, stride, offset, rounded_up) ==
                  bm::degree(column_major(bank_num, rows), bm::access_1d{stride, offset}));
  // The printed floor leaves out the last layer of a row: the smallest example of 8 banks.
  CHECK(algorithm_4_3(8, 2, 3, 0, rounded_down) == 1);
  CHECK(bm::degree(column_major(8, 2), bm::access_1d{3, 0}) == 2);
}

TEST_CASE("5.1.1: warps repeat after P, so P of them say the conflicts of all", "[paper]") {
  constexpr int warps = 37;
  for (int bank_num = 4; bank_num <= 32; bank_num *= 2)
    for (int rows = 2; rows <= 8; rows *= 2)
      for (int stride = 2; stride <= 130; stride += 2)
        for (int offset = 0; offset < bank_num * rows; offset += 5) {
          const bm::geometry banks = row_major(bank_num, rows);
          const auto degree_of = [&](int warp) {
            return bm::degree(banks, bm::access_1d{stride, offset + warp * stride * bank_num});
          };
          const int period = period_of_warps(rows, stride);
          int total = 0, by_cases = 0;
          for (int warp = 0; warp < warps; ++warp) total += degree_of(warp);
          for (int warp = 0; warp < period; ++warp)
            by_cases += degree_of(warp) * ((warps - warp + period - 1) / period);
          REQUIRE(by_cases == total);
        }
  // The offset within a layer is another one for fewer warps.
  CHECK(period_of_warps(4, 2) == 2);
  CHECK(period_of_warps(8, 6) == 4);
  CHECK(period_of_warps(2, 4) == 1);
  // On column-major banks warps do not change the row they begin in.
  for (int stride = 1; stride <= 67; ++stride)
    for (int offset = 0; offset < 4; ++offset)
      for (int warp = 1; warp < 9; ++warp)
        REQUIRE(
            bm::degree(column_major(32, 4), bm::access_1d{stride, offset + warp * stride * 32}) ==
            bm::degree(column_major(32, 4), bm::access_1d{stride, offset}));
}

TEST_CASE("algorithm 5.1: the vectors of a for-if by their active threads", "[paper]") {
  using namespace bm::index;
  const auto counts_of = [](int iterations, int lanes) {
    std::vector<int> result(static_cast<std::size_t>(lanes) + 1);  // C_i
    for (int i = 0; i < iterations; ++i) {
      result[static_cast<std::size_t>(lanes)] += (i + 1) / lanes;
      if ((i + 1) % lanes != 0) ++result[static_cast<std::size_t>((i + 1) % lanes)];
    }
    return result;
  };
  // Figure 5.8: 16 iterations, vectors of 4.
  CHECK(counts_of(16, 4) == std::vector{0, 4, 4, 4, 28});

  // On conventional banks conflict_i does not depend on the vector's offset.
  for (const int stride : {1, 2, 3, 4, 6, 8, 16, 32})
    for (const int iterations : {1, 31, 32, 33, 64, 200, 256}) {
      const auto line = bm::shared_array<float>("line", 256 * stride);
      const auto read = bm::for_loop(i, bm::range(0, iterations),
                                     bm::if_threads(tx <= i, bm::load(line[stride * tx])));
      std::uint64_t sum = 0;
      const std::vector<int> counts = counts_of(iterations, 32);
      for (int active = 1; active <= 32; ++active) {
        std::set<int> words[32];
        for (int lane = 0; lane < active; ++lane)
          words[stride * lane % 32].insert(stride * lane / 32);
        std::size_t degree = 1;
        for (const std::set<int>& words_of_bank : words)
          degree = std::max(degree, words_of_bank.size());
        sum += degree * static_cast<std::uint64_t>(counts[static_cast<std::size_t>(active)]);
      }
      CHECK(bm::total(bm::nvidia::sm_50, bm::block_dim{256}, read).wavefronts == sum);
    }
}

TEST_CASE("figure 5.9: whole vectors of a triangle repeat along diagonals and along columns",
          "[paper]") {
  using namespace bm::index;
  constexpr int lanes = 32, rows = 2, layer = lanes * rows, iterations = 150, threads = 160;
  const bm::geometry banks = row_major(lanes, rows);
  for (const int stride : {1, 2, 4, 6})
    for (const int pitch : {threads * stride, threads * stride + 8, threads * stride + 13}) {
      // Of whole vectors: P_d along a diagonal, P_v along the column that it begins in.
      const int advance = lanes * (pitch + stride);
      const int period_d = std::lcm(advance, layer) / advance,
                period_v = std::lcm(pitch, layer) / pitch;
      std::map<std::pair<int, int>, int> degrees;
      std::uint64_t sum = 0;
      for (int i = 0; i < iterations; ++i) {
        for (int vector = 0; vector < (i + 1) / lanes; ++vector) {
          const auto [known, is_new] =
              degrees.try_emplace({(i - lanes * vector) % period_v, vector % period_d}, 0);
          if (is_new)
            known->second =
                bm::degree(banks, bm::access_1d{stride, i * pitch + lanes * vector * stride});
          sum += static_cast<std::uint64_t>(known->second);
        }
        // Of the vector that is a part: its lanes, one by one.
        std::set<int> layers[lanes];
        for (int thread = (i + 1) / lanes * lanes; thread <= i; ++thread) {
          const int element = i * pitch + stride * thread;
          layers[element % lanes].insert(element / layer);
        }
        std::size_t degree = 0;
        for (const std::set<int>& layers_of_bank : layers)
          degree = std::max(degree, layers_of_bank.size());
        sum += degree;
      }
      const auto area = bm::shared_array<float>("area", iterations, pitch);
      const auto read = bm::for_loop(i, bm::range(0, iterations),
                                     bm::if_threads(tx <= i, bm::load(area[i][stride * tx])));
      CHECK(bm::total(bm::nvidia::sm_35, bm::block_dim{threads}, read).wavefronts == sum);
    }
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
