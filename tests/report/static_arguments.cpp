// SPDX-License-Identifier: MIT
// total(), totals() and explain() take the same arguments: an access, several, a kernel, a request,
// and a block index. A guard is a constant.
#include <bankmodel/analyze.hpp>
#include <bankmodel/count/totals.hpp>
#include <bankmodel/explain.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace {

namespace bm = bankmodel;
using namespace bm::index::threads;
using bm::index::j;
using bm::nvidia::sm_90;

constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
constexpr bm::block_dim block{32, 8};
constexpr auto row = bm::store(bm::for_loop(j, bm::range(0, 32, 8), tile[ty + j][tx]));
constexpr auto column = bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j]));
constexpr auto tile_kernel = bm::kernel(block, row, column);

static_assert(bm::guard<bm::total(sm_90, block, row)>);
static_assert(bm::guard<bm::total(sm_90, block, column), 992>);

static_assert(bm::total(sm_90, block, row, column) == bm::total(sm_90, tile_kernel));
static_assert(bm::total(sm_90, block, tile_kernel.accesses) == bm::total(sm_90, tile_kernel));
static_assert(bm::totals(sm_90, block, row, column) == bm::totals(sm_90, tile_kernel));
static_assert(bm::totals(sm_90, tile_kernel).loads == bm::total(sm_90, block, column));

// The access with the most conflicts is explained.
static_assert(bm::explain(sm_90, tile_kernel).access == 1 &&
              bm::explain(sm_90, tile_kernel).degree == 32);
static_assert(bm::explain(sm_90, block, column, row).access == 0);
static_assert(bm::explain(sm_90, tile_kernel).remedy.more_bytes == 128);
static_assert(bm::explain(sm_90, block, tile_kernel.accesses).all ==
              bm::total(sm_90, block, column));

// A subscript with bx is another place in another block.
constexpr auto moved = bm::load(tile[bx][tx]);
static_assert(bm::explain(sm_90, bm::block_dim{32}, moved, {3}).worst.address[0] == 3 * 128);
static_assert(bm::explain(sm_90, bm::kernel(bm::block_dim{32}, moved), {3}).worst.address[0] ==
              384);
static_assert(bm::total(sm_90, bm::kernel(bm::block_dim{32}, moved), {3}).wavefronts == 1);
static_assert(bm::totals(sm_90, bm::kernel(bm::block_dim{32}, moved), {3}).loads.wavefronts == 1);

constexpr bm::request strided() {
  bm::request result{.active = 0xffffffff, .bytes = 4};
  for (int lane = 0; lane < 32; ++lane) result.address[lane] = 4 + 128 * lane;
  return result;
}
static_assert(bm::total(sm_90, strided()).wavefronts == 32);
static_assert(bm::totals(sm_90, strided()).loads.wavefronts == 32);
static_assert(bm::explain(sm_90, strided()).lanes == 32 && bm::explain(sm_90, strided()).bank == 1);
static_assert(bm::explain(sm_90, strided()).meets[1].word == 33);

// Costs are compared, not how they were counted.
static_assert(bm::cost{1, 2, 1, 2, bm::method::each_request} == bm::cost{1, 2, 1, 2});

}  // namespace
