// SPDX-License-Identifier: MIT
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/pareto.hpp>
#include <bankmodel/report.hpp>
#include <string>

#include "catch.hpp"

namespace bm = bankmodel;
using namespace bm::index;
using bm::text;

TEST_CASE("subscripts have the parentheses that C needs") {
  CHECK(text(2 * tx + 1) == "2 * tx + 1");
  CHECK(text(2 * (tx + 1)) == "2 * (tx + 1)");
  CHECK(text(tx - ty - 1) == "tx - ty - 1");
  CHECK(text(tx - (ty - 1)) == "tx - (ty - 1)");
  CHECK(text(tx / 2 * 2) == "tx / 2 * 2");
  CHECK(text(tx / (2 * j)) == "tx / (2 * j)");
  CHECK(text(tx + -1) == "tx + -1");
  CHECK(text(-1 * tx) == "-1 * tx");
  CHECK(text(-tx + 31) == "-tx + 31");
  CHECK(text(-(tx + 1)) == "-(tx + 1)");
  CHECK(text(-(-tx)) == "-(-tx)");
  CHECK(text(max(tx - 1, 0) * 2) == "max(tx - 1, 0) * 2");
  CHECK(text(min(tx, 7) + max(i, bx)) == "min(tx, 7) + max(i, bx)");
}

TEST_CASE("operators under a bitwise one or a shift stand in parentheses, as compilers ask") {
  CHECK(text((ty + j) ^ tx) == "(ty + j) ^ tx");
  CHECK(text(tx ^ (ty % 8)) == "tx ^ (ty % 8)");
  CHECK(text(tx ^ ty ^ j) == "tx ^ ty ^ j");
  CHECK(text(tx ^ (ty ^ j)) == "tx ^ (ty ^ j)");
  CHECK(text((tx & 3) | (ty << 2)) == "(tx & 3) | (ty << 2)");
  CHECK(text((tx >> 1) + 1) == "(tx >> 1) + 1");
  CHECK(text(tx << (i + 1)) == "tx << (i + 1)");
  CHECK(text(min(tx, 7) ^ -ty) == "min(tx, 7) ^ -ty");
}

TEST_CASE("conditions") {
  CHECK(text(tx < i && ty != 0) == "tx < i && ty != 0");
  CHECK(text(tx > 3) == "tx > 3");
  CHECK(text(i <= tx + 1) == "tx + 1 >= i");
  CHECK(text(tx > ty) == "ty < tx");
  CHECK(text((tx & 1) == 0) == "(tx & 1) == 0");
  CHECK(text(!(tx == 0)) == "!(tx == 0)");
  CHECK(text(tx == 0 || ty == 0 || tz == 0) == "tx == 0 || ty == 0 || tz == 0");
  CHECK(text((tx == 0 && ty == 0) || tz == 0) == "(tx == 0 && ty == 0) || tz == 0");
  CHECK(text((tx == 0 || ty == 0) && tz == 0) == "(tx == 0 || ty == 0) && tz == 0");
  CHECK(text(tx == 0 && (ty == 0 || !(lane < warp && tid >= 4))) == "tx == 0 && (ty == 0 || !(lane < warp && tid >= 4))");
}

TEST_CASE("accesses stand on one line, as in the kernel") {
  const auto a = bm::shared_array<float>("a", 4096);
  const auto tile = bm::shared_array<float>("tile", 32, 32);
  CHECK(text(bm::load(bm::for_loop(j, bm::range(0, 32, 8), bm::if_threads(tx < 16, tile[tx][ty + j])))) ==
        "for (j = 0; j < 32; j += 8) if (tx < 16) load tile[tx][ty + j]");
  CHECK(text(bm::store(bm::for_loop(m, bm::range(14, -1, -1), a[m]))) == "for (m = 14; m > -1; --m) store a[m]");
  CHECK(text(bm::for_loop(n, bm::range(tx, i, -2), a[n])) == "for (n = tx; n > i; n -= 2) load a[n]");
  CHECK(text(bm::for_loop(i, bm::range(0, 9, ty + 1), a[i])) == "for (i : range(0, 9, ty + 1)) load a[i]");
  CHECK(text(bm::for_loop(k, bm::powers(1, 256, 2), bm::if_threads(2 * k * tx < 256, a[2 * k * tx]))) ==
        "for (k = 1; k < 256; k *= 2) if (2 * k * tx < 256) load a[2 * k * tx]");
  CHECK(text(bm::for_loop(k, bm::powers(128, 0, 2), a[k])) == "for (k = 128; k > 0; k /= 2) load a[k]");
  CHECK(text(bm::for_loop(k, bm::powers(1, l, 2), a[k])) == "for (k : powers(1, l, 2)) load a[k]");
  CHECK(text(bm::for_loop(k, bm::values(1, -3, 9), a[k])) == "for (k : {1, -3, 9}) load a[k]");
  CHECK(text(bm::vectorized<4>(a[4 * tx])) == "load 4 x a[4 * tx]");
}

TEST_CASE("machines and numbers") {
  CHECK(text(bm::nvidia::sm_90) == "sm_90");
  CHECK(text(bm::nvidia::sm_35) == "sm_35, 4-byte banks");
  CHECK(text(bm::nvidia::sm_35.with_bank_width(8)) == "sm_35, 8-byte banks");
  CHECK(text(bm::machine{.model = 7}) == "machine 7");
  CHECK(bm::grouped(0) == "0");
  CHECK(bm::grouped(992) == "992");
  CHECK(bm::grouped(1'000) == "1,000");
  CHECK(bm::grouped(2'176'000'000'000) == "2,176,000,000,000");
}

TEST_CASE("layouts as they are declared") {
  CHECK(text(bm::row_major(32, 32)) == "[32][32]");
  CHECK(text(bm::row_major(32, 32).padded(1)) == "[32][33]");
  CHECK(text(bm::row_major(1024)) == "[1024]");
  CHECK(text(bm::row_major(1024).padded_every(32, 1)) == "[1055], element c at c + c / 32");
  CHECK(text(bm::row_major(1024).padded_every(64, 2)) == "[1054], element c at c + c / 64 * 2");
  CHECK(text(bm::row_major(4, 8, 32).padded(1)) == "[4][8][33]");
  CHECK(text(bm::row_major(4, 8, 32).padded(33, 0)) == "[4][8][32], 33 behind each plane");
  CHECK(text(bm::row_major(4, 8, 32).padded(64, 0)) == "[4][10][32]");
  CHECK(text(bm::row_major(2, 4, 8, 32).padded(5, 0)) == "[2][4][8][32], 5 behind each volume");
}

TEST_CASE("plans") {
  const auto tile = bm::shared_array<float>("tile", 32, 32);
  const auto kernel = bm::kernel(bm::block_dim{32, 8}, bm::store(bm::for_loop(j, bm::range(0, 32, 8), tile[ty + j][tx])),
                                 bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j])));
  CHECK(text(bm::optimize(bm::nvidia::sm_90, kernel)) ==
        "conflicts 992 -> 0, wavefronts 1,056 -> 64, 4,224 bytes, 8 resident blocks, optimal\n"
        "  tile[32][33], at byte 0\n");
  CHECK(text(bm::optimize(bm::nvidia::sm_35, bm::kernel(bm::block_dim{32}, bm::load(tile[0][tx])))) ==
        "conflicts 0 -> 0, wavefronts 1 -> 1, 4,096 bytes, 12 resident blocks, optimal, banks of 4 bytes\n"
        "  tile[32][32], at byte 0\n");

  // All that are best for their bytes, each with fewer wavefronts than those with fewer bytes.
  const auto front = bm::pareto_front(bm::nvidia::sm_90, kernel);
  REQUIRE(front.size() == 2);
  CHECK(front[0].bytes() == 4224);
  CHECK(front[0].after().conflicts() == 0);
  CHECK(front[1].bytes() == 4096);
  CHECK(front[1].after().conflicts() == 992);
  CHECK(bm::pareto_front(bm::nvidia::sm_90, kernel, bm::search{.shared_bytes = 4100}).size() == 1);
}
