// SPDX-License-Identifier: MIT
// traffic() of a grid: the sum over its blocks, in numbers known by hand; kernels with both
// memories; huge grids and trips, pointers, pitched rows.
#include <bankmodel/global.hpp>
#include <bankmodel/layout/families.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include "catch.hpp"

namespace bm = bankmodel;
using namespace bm::index;
using bm::for_loop;
using bm::load;
using bm::range;
using bm::store;
using bm::nvidia::sm_90;

namespace {

const auto pointer = bm::global_array<float>("pointer", bm::unknown_extent);

// Block by block.
bm::memory_traffic sum_over(const bm::grid_dim& grid, const auto& of_block) {
  bm::memory_traffic sum;
  for (long long x = 0; x < grid.x; ++x)
    for (long long y = 0; y < grid.y; ++y)
      for (long long z = 0; z < grid.z; ++z) sum = sum + of_block(bm::block_index{x, y, z});
  return sum;
}

// The traffic of a grid, which is compared with the sum over its blocks.
bm::memory_traffic on_grid(const bm::machine& m, const bm::block_dim& block, const auto& access,
                           const bm::grid_dim& grid) {
  const auto result = bm::traffic(m, block, access, grid);
  CHECK(result == sum_over(grid, [&](const bm::block_index& grid_index) {
          return bm::traffic(m, block, access, grid_index);
        }));
  return result;
}

}  // namespace

TEST_CASE("axes that an access does not read multiply", "[global]") {
  const bm::block_dim one_warp{32};
  const auto block_traffic = bm::traffic(sm_90, one_warp, load(pointer[tx]));
  CHECK(on_grid(sm_90, one_warp, load(pointer[tx]), {3, 5, 7}) == block_traffic * 105);
  CHECK(on_grid(sm_90, one_warp, load(pointer[32 * by + tx]), {3, 5, 7}) == block_traffic * 105);
  CHECK(on_grid(sm_90, one_warp, load(pointer[32 * bz + tx]), {3, 5, 7}) == block_traffic * 105);
  CHECK(
      on_grid(sm_90, one_warp, load(pointer[bx + 2 * by + 4 * bz + tx]), {2, 2, 2}).transactions ==
      4 + 7 * 5);
  CHECK(bm::traffic(sm_90, one_warp, load(pointer[tx]), bm::grid_dim{1ll << 31, 65535}) ==
        block_traffic * ((1ull << 31) * 65535));
}

TEST_CASE("the block in filters, bounds and lists", "[global]") {
  const bm::block_dim block{48};
  const auto check = [&](const auto& access) {
    for (const auto& gpu : {bm::nvidia::sm_11, bm::nvidia::sm_13, bm::nvidia::sm_20, sm_90,
                            bm::amd::gfx90a, bm::amd::gfx1100})
      (void)on_grid(gpu, block, access, {5, 3, 2});
  };
  check(load(bm::if_threads(48 * bx + tx < 200, pointer[48 * bx + tx])));
  check(load(bm::if_threads(bx != by && tx >= bz, pointer[48 * bx + tx])));
  check(load(for_loop(i, range(48 * bx + tx, 1000, 48 * 5), pointer[i])));
  check(load(for_loop(i, range(0, bx), for_loop(j, range(by, 7), pointer[33 * i + tx + j]))));
  check(store(for_loop(k, bm::values(1, 5, 25), pointer[k * bx + tx + 3 * by])));
  check(load(for_loop(i, bm::powers_down(16, 0, 2), pointer[i * bx + 2 * tx])));
  check(store(pointer[((bx + by) % 5) * 48 + tx]));
  check(store(pointer[(48 * bx + tx) / 3 + (by ^ bz)]));
  check(load(pointer[1000 - 48 * bx - tx]));
  check(load(pointer[bx * by * tx + bz]));
}

TEST_CASE("arrays of all kinds in a grid", "[global]") {
  const bm::block_dim block{8, 4, 2};
  const auto square = bm::global_array<double>("square", 40, 40);
  const auto check = [&](const auto& array) {
    for (const auto& gpu :
         {bm::nvidia::sm_10, bm::nvidia::sm_13, bm::nvidia::sm_35, bm::amd::gfx942})
      (void)on_grid(gpu, block, load(array[8 * by + 4 * tz + ty][8 * bx + tx]), {5, 5});
  };
  check(square);
  check(square.at(24));
  check(bm::with_row_stride(square, 328));
  check(bm::with_row_stride(square, 512).at((1ll << 40) + 8));
  check(square.with(square.layout.permuted(bm::rotation(3))));
  check(square.with(square.layout.permuted(bm::xor_swizzle(2, 1, 3))));
  check(bm::global_array<double>("rows", bm::unknown_extent, 40));
  const auto line = bm::global_array<short>("line", 1600);
  (void)on_grid(sm_90, block, load(line.with(line.layout.padded_every(7, 1))[64 * bx + tid]), {25});
  const auto cube = bm::global_array<short>("cube", 9, 4, 70);
  for (const auto& gpu : {bm::nvidia::sm_10, bm::nvidia::sm_13, bm::nvidia::sm_20})
    (void)on_grid(gpu, block, load(bm::vectorized<2>(cube[bz + tz][ty][8 * bx + 2 * tx])),
                  {6, 1, 8});
}

TEST_CASE("a kernel has both memories, in a grid too", "[global]") {
  const auto tile = bm::shared_array<float>("tile", 32, 33);
  const auto source = bm::global_array<float>("in", 1024, 1024),
             target = bm::global_array<float>("out", 1024, 1024);
  const auto transpose = bm::kernel(
      {32, 8}, load(for_loop(j, range(0, 32, 8), source[32 * by + ty + j][32 * bx + tx])),
      store(for_loop(j, range(0, 32, 8), tile[ty + j][tx])),
      load(for_loop(j, range(0, 32, 8), tile[tx][ty + j])),
      store(for_loop(j, range(0, 32, 8), target[32 * bx + ty + j][32 * by + tx])));
  const bm::grid_dim grid{32, 32};
  const auto sum = bm::traffic(sm_90, transpose, grid);
  CHECK(sum == bm::traffic(sm_90, transpose) * 1024);
  CHECK(sum == sum_over(grid, [&](const bm::block_index& grid_index) {
          return bm::traffic(sm_90, transpose, grid_index);
        }));
  CHECK(sum.requests == 2 * 32 * 1024);
  CHECK(sum.transactions == 2ull * 1024 * 1024 * 4 / 32);
  CHECK(sum.bytes_used == sum.bytes_moved);
  // Each access is in one of the memories.
  CHECK(bm::total(sm_90, {32}, source[tx][ty]).requests == 0);
  CHECK(bm::traffic(sm_90, {32}, tile[tx][ty]).requests == 0);
  CHECK(bm::traffic(sm_90, {32}, load(source[ty][tx]), store(tile[ty][tx]),
                    store(target[ty][tx])) == bm::traffic(sm_90, {32}, source[ty][tx]) * 2);
}

// The lecture's copy through shared memory (papers/001): 256 x 256 blocks of 32 warps make 2 097
// 152 requests of each kind.
TEST_CASE("the lecture's copy and its naive transpose", "[global]") {
  const bm::block_dim block{32, 32};
  const bm::grid_dim grid{256, 256};
  const auto source = bm::global_array<float>("in", 8192, 8192);
  const auto rows = load(source[32 * by + ty][32 * bx + tx]),
             columns = store(source[32 * bx + tx][32 * by + ty]);
  for (const auto& gpu : {bm::nvidia::sm_35, sm_90}) {
    const auto copied = bm::traffic(gpu, block, rows, grid),
               transposed = bm::traffic(gpu, block, columns, grid);
    CHECK(copied.requests == 2'097'152);
    CHECK(copied.transactions == 4 * 2'097'152);
    CHECK(copied.transactions == copied.ideal);
    CHECK(transposed.transactions == 32 * 2'097'152);
    CHECK(transposed.ideal == copied.ideal);
  }
}

TEST_CASE("10^15 requests, blocks of one thread, addresses of 4 TB", "[global]") {
  CHECK(bm::traffic(sm_90, {1}, load(for_loop(i, range(0, 1'000'000'000'000), pointer[i])))
            .transactions == 1'000'000'000'000);
  const auto guarded =
      load(bm::if_threads(256 * bx + tx < 1'000'000'000'001, pointer[256 * bx + tx]));
  const auto sum = bm::traffic(sm_90, {256}, guarded, bm::grid_dim{3'906'250'001});
  CHECK(sum.requests == 31'250'000'001);
  CHECK(sum.transactions == 125'000'000'001);
  CHECK(sum.bytes_used == 4'000'000'000'004);
  const auto alone = on_grid(sm_90, {1}, load(pointer[bx]), {300});
  CHECK(alone.transactions == 300);
  CHECK(alone.bytes_used == 1200);
  // a triangle of blocks and iterations
  CHECK(bm::traffic(sm_90, {32}, load(for_loop(i, range(0, bx + 1), pointer[32 * i + tx])),
                    bm::grid_dim{1 << 20})
            .requests == (1ull << 20) * ((1ull << 20) + 1) / 2);
}
