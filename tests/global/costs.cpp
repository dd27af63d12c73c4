// SPDX-License-Identifier: MIT
// Costs of kernels in both memories: of blocks and grids, the limiting memory, and the numbers of
// the lecture's transposes (examples/transposes.cpp prints them).
#include <bankmodel/count/totals.hpp>
#include <bankmodel/global.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/arithmetic_rates.hpp>
#include <bankmodel/machines/citations.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/machines/products.hpp>
#include <bankmodel/optimize.hpp>

#include "catch.hpp"

namespace bm = bankmodel;
using namespace bm::index;
using bm::limiting_memory;
using bm::nvidia::sm_35, bm::nvidia::sm_80, bm::nvidia::sm_90;

namespace {

constexpr bm::block_dim block{32, 32};
constexpr bm::grid_dim grid{256, 256};
constexpr auto input = bm::global_array<float>("in", 8192, 8192);
constexpr auto output = bm::global_array<float>("out", 8192, 8192);
constexpr auto square = bm::shared_array<float>("tile", 32, 32);
constexpr auto padded = bm::shared_array<float>("tile", 32, 33);

constexpr auto read = bm::load(input[32 * by + ty][32 * bx + tx]);
constexpr auto copied = bm::store(output[32 * by + ty][32 * bx + tx]);
constexpr auto transposed = bm::store(output[32 * bx + ty][32 * by + tx]);

constexpr auto copy =
    bm::kernel(block, read, bm::store(square[ty][tx]), bm::load(square[ty][tx]), copied);
constexpr auto naive = bm::kernel(block, read, bm::store(output[32 * bx + tx][32 * by + ty]));
constexpr auto tiled =
    bm::kernel(block, read, bm::store(square[ty][tx]), bm::load(square[tx][ty]), transposed);
constexpr auto without_conflicts =
    bm::kernel(block, read, bm::store(padded[ty][tx]), bm::load(padded[tx][ty]), transposed);
constexpr auto diagonal = bm::kernel(
    block, bm::load(input[32 * bx + ty][32 * ((bx + by) % 256) + tx]), bm::store(padded[ty][tx]),
    bm::load(padded[tx][ty]), bm::store(output[32 * ((bx + by) % 256) + ty][32 * bx + tx]));

}  // namespace

TEST_CASE("the lecture's transposes", "[global]") {
  // 256 x 256 blocks of 32 warps.
  STATIC_REQUIRE(bm::totals(sm_35, copy).loads.requests * grid.blocks() == 2'097'152);
  STATIC_REQUIRE(bm::total(sm_35, copy, grid).requests == 2 * 2'097'152);
  STATIC_REQUIRE(bm::traffic(sm_35, copy, grid).requests == 2 * 2'097'152);
  // A column of 32 rows takes 16 passes on a K40, 32 since.
  STATIC_REQUIRE(bm::total(sm_35, tiled, grid).wavefronts == 17 * 2'097'152);
  STATIC_REQUIRE(bm::total(sm_90, tiled, grid).wavefronts == 33 * 2'097'152);
  STATIC_REQUIRE(bm::total(sm_90, without_conflicts, grid).conflicts() == 0);
  for (const bm::machine& gpu : {sm_35, sm_90}) {
    CHECK(bm::traffic(gpu, copy, grid).transactions == 8 * 2'097'152);
    CHECK(bm::traffic(gpu, naive, grid).transactions == 36 * 2'097'152);
    CHECK(bm::traffic(gpu, naive, grid).ideal == 8 * 2'097'152);
    CHECK(bm::traffic(gpu, tiled, grid) == bm::traffic(gpu, copy, grid));
    CHECK(bm::traffic(gpu, diagonal, grid) == bm::traffic(gpu, copy, grid));
  }
}

TEST_CASE("the memory that takes more cycles", "[global]") {
  STATIC_REQUIRE(bm::costs(sm_90, copy).limit == limiting_memory::both);
  STATIC_REQUIRE(bm::costs(sm_90, naive).limit == limiting_memory::global);
  STATIC_REQUIRE(bm::costs(sm_90, naive).shared_cycles == 0);
  // 32 requests of one line and 32 of 32 lines, four lines in a cycle.
  STATIC_REQUIRE(bm::costs(sm_90, naive).global_cycles == (32 + 32 * 32) / 4);
  constexpr bm::kernel_costs block_costs = bm::costs(sm_90, tiled);
  STATIC_REQUIRE(block_costs.limit == limiting_memory::shared);
  STATIC_REQUIRE(block_costs.shared_cycles == 32 + 32 * 32);
  STATIC_REQUIRE(block_costs.global_cycles == 64);
  constexpr bm::kernel_costs grid_costs = bm::costs(sm_90, tiled, grid);
  STATIC_REQUIRE(grid_costs.shared_cycles == block_costs.shared_cycles * 65536);
  STATIC_REQUIRE(grid_costs.global_cycles == block_costs.global_cycles * 65536);

  // No source gives the rates of Kepler, or of AMD's global memory.
  CHECK(bm::costs(sm_35, tiled).limit == limiting_memory::unknown);
  CHECK(bm::costs(sm_35, tiled).shared_cycles == 0);
  const bm::kernel_costs amd = bm::costs(bm::amd::gfx942, tiled);
  CHECK(amd.limit == limiting_memory::unknown);
  CHECK(amd.shared_cycles == amd.shared.wavefronts);
  CHECK(amd.global_cycles == 0);
  // Measured ones.
  const bm::kernel_costs measured = bm::costs(sm_35, tiled, {.wavefronts = 1, .lines = 1});
  CHECK(measured.limit == limiting_memory::shared);
  CHECK(measured.global_cycles == 64);
  // 544 wavefronts there: a part of a cycle is a whole one.
  CHECK(bm::costs(sm_35, tiled, {.wavefronts = 500, .lines = 1}).shared_cycles == 2);

  constexpr auto shared_only = bm::kernel(block, bm::load(square[ty][tx]));
  CHECK(bm::costs(bm::amd::gfx942, shared_only).limit == limiting_memory::shared);
  constexpr auto nothing = bm::kernel(block, bm::if_threads(tx < 0, bm::load(square[ty][tx])));
  CHECK(bm::costs(sm_90, nothing).limit == limiting_memory::neither);
  CHECK(bm::costs(sm_90, nothing, grid).limit == limiting_memory::neither);
}

TEST_CASE("a grid is the sum of its blocks, in both memories", "[global]") {
  constexpr bm::grid_dim small{3, 4, 2};
  const auto a = bm::shared_array<float>("a", 4096);
  const auto p = bm::global_array<float>("p", bm::unknown_extent);
  const auto kernel =
      bm::kernel(bm::block_dim{48, 2}, bm::load(a[(bx + 1) * tx + ty]),
                 bm::store(bm::for_loop(j, bm::range(0, by + 2), a[(tx * 3 + 33 * j + bz) % 4096])),
                 bm::load(bm::for_loop(i, bm::range(0, 5), p[100 * by + 3 * tx + i + 1000 * bz])),
                 bm::store(bm::if_threads(tx < 8 * bx, p[tx + 48 * ty + 7 * bx])));
  bm::cost shared;
  bm::memory_traffic global;
  for (long long z = 0; z < small.z; ++z)
    for (long long y = 0; y < small.y; ++y)
      for (long long x = 0; x < small.x; ++x) {
        shared = shared + bm::total(sm_90, kernel, bm::block_index{x, y, z});
        global = global + bm::traffic(sm_90, kernel, bm::block_index{x, y, z});
      }
  CHECK(bm::costs(sm_90, kernel, small).shared == shared);
  CHECK(bm::costs(sm_90, kernel, small).global == global);
}

TEST_CASE("plans leave accesses to global memory out", "[global][plan]") {
  constexpr auto plan = bm::optimize(sm_90, tiled);
  STATIC_REQUIRE(plan.arrays() == 1);
  STATIC_REQUIRE(plan.accesses() == 4);
  STATIC_REQUIRE(plan.after(0) == bm::cost{});
  STATIC_REQUIRE(plan.after(2).wavefronts == 32);
  STATIC_REQUIRE(plan.after().wavefronts == 64);
  CHECK_THROWS_WITH(bm::optimize(sm_90, naive),
                    Catch::Contains("a_kernel_to_plan_must_access_shared_memory"));
  CHECK_THROWS_WITH(bm::costs(sm_90, tiled, bm::grid_dim{0, 4}),
                    Catch::Contains("a_grid_must_have_blocks"));
}

TEST_CASE("the example of global.hpp", "[global]") {
  constexpr auto matrix = bm::global_array<float>("in", 1024, 1024);
  constexpr auto row = bm::load(matrix[32 * by + ty][32 * bx + tx]);
  constexpr auto copy_kernel = bm::kernel(bm::block_dim{32, 8}, row, bm::store(padded[ty][tx]));
  STATIC_REQUIRE(bm::traffic(sm_90, copy_kernel) == bm::memory_traffic{8, 32, 32, 8, 1024, 1024});
  STATIC_REQUIRE(bm::traffic(sm_90, copy_kernel, bm::grid_dim{32, 32}).transactions == 32768);
  STATIC_REQUIRE(bm::total(sm_90, copy_kernel).wavefronts == 8);
  constexpr auto shared = bm::block_stride(bm::block_dim{32, 8}, bm::axis::x, row);
  STATIC_REQUIRE(shared.relation == bm::sharing::exclusive);
  STATIC_REQUIRE(shared.bytes == 128);
  constexpr auto column = bm::load(matrix[32 * bx + tx][32 * by + ty]);
  STATIC_REQUIRE(bm::traffic(sm_90, bm::block_dim{32, 8}, column).transactions == 256);
}

TEST_CASE("cycles are rounded up, and nothing takes none", "[global]") {
  using bm::detail::cycles_of;
  STATIC_REQUIRE(cycles_of(0, 4) == 0);
  STATIC_REQUIRE(cycles_of(1, 4) == 1);
  STATIC_REQUIRE(cycles_of(4, 4) == 1);
  STATIC_REQUIRE(cycles_of(5, 4) == 2);
  STATIC_REQUIRE(cycles_of(~0ull, 1) == ~0ull);
  STATIC_REQUIRE(cycles_of(7, 0) == 0);  // an unknown rate
}

TEST_CASE("what a multiprocessor computes in a cycle", "[global]") {
  constexpr bm::arithmetic_rates hopper = bm::arithmetic_rates_of(sm_90);
  STATIC_REQUIRE(hopper.floats.cycles_of(1000 * 32) == 250);
  STATIC_REQUIRE(hopper.floats.cycles_of(3 * 32) == 1);
  STATIC_REQUIRE(hopper.floats.cycles_of(5 * 32) == 2);
  STATIC_REQUIRE(hopper.floats.cycles_of(0) == 0);
  STATIC_REQUIRE(hopper.doubles.cycles_of(32) == 1);
  STATIC_REQUIRE(hopper.special_functions.cycles_of(32) == 2);
  STATIC_REQUIRE(hopper.instructions.cycles_of(9) == 3);
  STATIC_REQUIRE(!bm::arithmetic_rates_of(sm_35).floats.is_known());
  STATIC_REQUIRE(!bm::arithmetic_rates_of(bm::amd::gfx942).instructions.is_known());
  CHECK_THROWS_AS(bm::arithmetic_rates_of(sm_35).floats.cycles_of(1), bm::error);
  for (const int capability : {70, 72, 75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121}) {
    const bm::machine gpu = bm::nvidia::compute_capability(capability / 10, capability % 10);
    const bm::arithmetic_rates rates = bm::arithmetic_rates_of(gpu);
    INFO(capability);
    CHECK(rates.floats.per_cycle == (capability <= 80 ? 64 : 128));
    CHECK(rates.instructions.per_cycle == 4);
    for (const bm::arithmetic_rate& rate : {rates.floats, rates.doubles, rates.special_functions,
                                            rates.matrix_products, rates.instructions})
      CHECK(bm::sources::citation_for(rate.from).key == rate.from);
  }
  // Peaks of data sheets in 10^12 floating-point operations a second, two in a multiply-add:
  // floats and matrices of an A100, an H100 and a B200.
  const auto peak = [](const bm::machine& gpu, const bm::arithmetic_rate& rate) {
    const bm::product sold = bm::product_of(gpu);
    return 2e-6 * rate.per_cycle * sold.multiprocessors * sold.megahertz;
  };
  CHECK(peak(sm_80, bm::arithmetic_rates_of(sm_80).floats) == Approx(19.5).epsilon(0.01));
  CHECK(peak(sm_80, bm::arithmetic_rates_of(sm_80).doubles) == Approx(9.7).epsilon(0.01));
  CHECK(peak(sm_80, bm::arithmetic_rates_of(sm_80).matrix_products) == Approx(312).epsilon(0.01));
  CHECK(peak(sm_90, hopper.floats) == Approx(67).epsilon(0.01));
  CHECK(peak(sm_90, hopper.doubles) == Approx(34).epsilon(0.02));
}

TEST_CASE("a multiprocessor's share of its product's memory", "[global]") {
  STATIC_REQUIRE(bm::product_of(sm_90).cycles_of(8192) == 640);
  STATIC_REQUIRE(bm::product_of(sm_90).cycles_of(0) == 0);
  STATIC_REQUIRE(!bm::product_of(sm_35).is_known());
  STATIC_REQUIRE(bm::product_of(sm_80).cache_cycles_of(5120) == 108);
  STATIC_REQUIRE(bm::product_of(sm_80).cache_cycles_of(1) == 1);
  CHECK_THROWS_AS(bm::product_of(sm_90).cache_cycles_of(1), bm::error);
  CHECK_THROWS_AS(bm::product_of(sm_35).cycles_of(1), bm::error);
  int known = 0;
  for (const bm::machine& gpu :
       {bm::nvidia::sm_70, bm::nvidia::sm_75, bm::nvidia::sm_80, bm::nvidia::sm_86,
        bm::nvidia::sm_89, sm_90, bm::nvidia::sm_100, bm::nvidia::sm_110, bm::nvidia::sm_120,
        bm::amd::gfx908, bm::amd::gfx90a, bm::amd::gfx942, bm::amd::gfx950, bm::amd::gfx1030,
        bm::amd::gfx1100}) {
    const bm::product sold = bm::product_of(gpu);
    REQUIRE(sold.is_known());
    ++known;
    CHECK(sold.multiprocessors > 0);
    CHECK(bm::sources::citation_for(sold.from).key == sold.from);
    CHECK(sold.from != bm::sources::own);
    // bytes / (GB/s * 10^9) seconds of MHz * 10^6 cycles, of each multiprocessor.
    const auto bandwidth = 1000ull * static_cast<std::uint64_t>(sold.gigabytes_per_second);
    const auto clocks = static_cast<std::uint64_t>(sold.megahertz) *
                        static_cast<std::uint64_t>(sold.multiprocessors);
    for (std::uint64_t bytes = 0; bytes < 200'000; bytes += bytes < 5000 ? 1 : 997) {
      const std::uint64_t cycles = sold.cycles_of(bytes);
      CHECK(cycles * bandwidth >= bytes * clocks);
      CHECK((cycles == 0 || (cycles - 1) * bandwidth < bytes * clocks));
    }
    // Large counts are sums: no product overflows.
    CHECK(sold.cycles_of(bandwidth << 40) == clocks << 40);
    CHECK(sold.cycles_of((bandwidth << 40) + 1) == (clocks << 40) + sold.cycles_of(1));
  }
  CHECK(known == 15);
  const bm::product slow{"slow", 1 << 20, 1 << 10, 1};
  CHECK_THROWS_AS(slow.cycles_of(~std::uint64_t{0}), bm::error);
}
