// SPDX-License-Identifier: MIT
// totals(): each access in its part, whose sum is total().
#include <bankmodel/count/totals.hpp>
#include <bankmodel/kernel/instructions.hpp>
#include <bankmodel/kernel/kernel.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include "catch.hpp"

namespace bm = bankmodel;
using namespace bm::index;
using bm::nvidia::sm_90;

namespace {

constexpr auto block = bm::block_dim{32, 8};
constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
constexpr auto bins = bm::shared_array<int>("bins", 32);
constexpr auto rows = bm::shared_array<short>("rows", 16, 64);
constexpr auto by_row = bm::store(bm::for_loop(j, bm::range(0, 32, 8), tile[ty + j][tx]));
constexpr auto by_column = bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j]));
constexpr auto counting = bm::atomic(bins[tx / 8]);
constexpr auto matrix = bm::ldmatrix<4>(rows[lane % 16][lane / 16 * 8]);
constexpr auto matrix_back = bm::stmatrix<4>(rows[lane % 16][lane / 16 * 8]);
constexpr auto copied = bm::cp_async<16>(tile[ty][tx / 8 * 8]);

// A machine whose ds_read2 and ds_read_tr are served like its loads.
constexpr bm::machine with_special() {
  bm::machine m;
  m.lanes = 64;
  m.loads.up_to_4 = m.loads.bytes_8 =
      m.stores.up_to_4 = {.bank_num = 32, .W = 4, .N = 4, .phases = {32}};
  m.special.paired_loads_4 = m.special.transposed_loads = m.loads.bytes_8;
  return m;
}

}  // namespace

TEST_CASE("the example of totals.hpp") {
  constexpr auto kernel =
      bm::kernel(bm::block_dim{32, 32}, bm::store(tile[ty][tx]), bm::load(tile[tx][ty]));
  constexpr bm::cost_by_kind parts = bm::totals(sm_90, kernel);
  STATIC_REQUIRE(parts.loads.requests == 32);
  STATIC_REQUIRE(parts.loads.wavefronts == 1024);
  STATIC_REQUIRE(parts.loads.conflicts() == 992);
  STATIC_REQUIRE(parts.stores.requests == 32);
  STATIC_REQUIRE(parts.stores.wavefronts == 32);
  STATIC_REQUIRE(parts.atomics == bm::cost{});
  STATIC_REQUIRE(parts.all() == bm::total(sm_90, kernel));
}

TEST_CASE("each access is counted in its part, in constant expressions and at run time alike") {
  const auto check_parts = [](const bm::cost_by_kind& counted, const bm::cost& loads,
                              const bm::cost& stores, const bm::cost& atomics) {
    CHECK((counted.loads == loads && counted.stores == stores && counted.atomics == atomics));
  };
  const bm::cost none{};
  check_parts(bm::totals(sm_90, block, by_column), bm::total(sm_90, block, by_column), none, none);
  check_parts(bm::totals(sm_90, block, by_row), none, bm::total(sm_90, block, by_row), none);
  check_parts(bm::totals(sm_90, block, counting), none, none, bm::total(sm_90, block, counting));
  check_parts(bm::totals(sm_90, block, matrix), bm::total(sm_90, block, matrix), none, none);
  check_parts(bm::totals(sm_90, block, matrix_back), none, bm::total(sm_90, block, matrix_back),
              none);
  check_parts(bm::totals(sm_90, block, copied), none, bm::total(sm_90, block, copied), none);
  constexpr auto in_constant = bm::totals(sm_90, block, matrix);
  CHECK(in_constant == bm::totals(sm_90, block, matrix));

  constexpr bm::machine amd = with_special();
  const auto line = bm::shared_array<float>("line", 1024);
  const auto halves = bm::ds_read2(line[tid], line[tid + 64]);
  check_parts(bm::totals(amd, block, halves), bm::total(amd, block, halves), none, none);
  const auto transposed = bm::ds_read_tr(line[2 * tid]);
  check_parts(bm::totals(amd, block, transposed), bm::total(amd, block, transposed), none, none);
}

TEST_CASE(
    "several accesses are added part by part: separately, as a list, as a kernel, for a given "
    "block") {
  const auto sum = bm::totals(sm_90, block, by_row) + bm::totals(sm_90, block, by_column) +
                   bm::totals(sm_90, block, counting);
  CHECK(bm::totals(sm_90, block, by_row, by_column, counting) == sum);
  CHECK(bm::totals(sm_90, bm::kernel(block, by_row, by_column, counting)) == sum);
  CHECK(bm::totals(
            sm_90, block,
            bm::for_loop(i, bm::range(0, 3), bm::load(tile[tx][ty]), bm::store(tile[ty][tx]))) ==
        (bm::totals(sm_90, block, bm::load(tile[tx][ty])) +
         bm::totals(sm_90, block, bm::store(tile[ty][tx]))) *
            3);
  CHECK(sum.all() == bm::total(sm_90, bm::kernel(block, by_row, by_column, counting)));
  CHECK(bm::totals(sm_90, bm::kernel(block)) == bm::cost_by_kind{});

  const auto of_block = bm::load(bm::if_threads(bx < 1, tile[tx][ty]));
  CHECK(bm::totals(sm_90, block, of_block).loads.requests == 8);
  CHECK(bm::totals(sm_90, block, of_block, {.x = 1}).loads.requests == 0);
  CHECK(bm::totals(sm_90, bm::kernel(block, of_block), {.x = 1}).loads.requests == 0);
}

TEST_CASE("a launch is its blocks' totals, part by part") {
  const auto launch = bm::totals(sm_90, block, by_row, by_column) * 1000;
  CHECK(launch.loads.wavefronts == 1'024'000);
  CHECK(launch.loads.conflicts() == 992'000);
  CHECK(launch.loads.degree == 32);
  CHECK(launch.stores.wavefronts == 32'000);
  CHECK(launch.all().wavefronts == 1'056'000);
}
