// SPDX-License-Identifier: MIT
// The rules of global memory, broken at run time: their names, values and advice.
#include <bankmodel/global.hpp>
#include <bankmodel/kernel/instructions.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>

#include "breaks.hpp"
#include "catch.hpp"

namespace bm = bankmodel;
using namespace bm::index;
using bm::nvidia::sm_90;

namespace {
const bm::block_dim one_warp{32};
const auto pointer = bm::global_array<float>("pointer", bm::unknown_extent);
}  // namespace

TEST_CASE("wrong machines, requests, arrays and grids of global memory") {
  bm::machine gpu = sm_90;
  gpu.global.sector_bytes = 48;
  breaks("sectors_and_lines_must_be_powers_of_two",
         {"sectors of 48 bytes in lines of 128", ".global.sector_bytes"},
         [&] { (void)bm::traffic(gpu, one_warp, pointer[tx]); });
  const auto halves = bm::global_array<short>("halves", 32, 8);
  breaks("global_memory_has_loads_stores_and_atomics_only", {"shared_array()", "ldmatrix"},
         [&] { (void)bm::traffic(sm_90, one_warp, bm::ldmatrix<4>(halves[lane][0 * lane])); });
  breaks("row_strides_must_hold_their_rows",
         {"12 bytes apart", "rows of 16 bytes with elements of 2"},
         [&] { (void)bm::with_row_stride(halves, 12); });
  breaks("a_grid_must_have_blocks", {"4 x 0 x 1 blocks", "1 or more"},
         [] { (void)bm::traffic(sm_90, one_warp, pointer[tx], bm::grid_dim{4, 0}); });
  bm::request r{.active = 1, .bytes = 12};
  breaks("the_machine_must_have_accesses_of_this_width", {"12 bytes"},
         [&] { (void)bm::traffic(sm_90, r); });
  const auto loops = [](const auto& access) {
    return bm::for_loop(
        i, bm::range(0, 2),
        bm::for_loop(
            j, bm::range(0, 2),
            bm::for_loop(k, bm::range(0, 2),
                         bm::for_loop(l, bm::range(0, 2),
                                      bm::for_loop(bm::index::m, bm::range(0, 2),
                                                   bm::for_loop(n, bm::range(0, 2), access))))));
  };
  breaks("a_grid_must_find_unused_loop_variables", {"in 6 loops", "one by one"},
         [&] { (void)bm::traffic(sm_90, one_warp, loops(pointer[tx + bx]), bm::grid_dim{2}); });
  breaks("a_kernel_to_plan_must_access_shared_memory", {"shared"},
         [] { (void)bm::optimize(sm_90, bm::kernel(one_warp, bm::load(pointer[tx]))); });
}

TEST_CASE("wrong questions about blocks") {
  const auto line = bm::global_array<float>("line", 1024);
  const auto row = bm::load(line[32 * bx + tx]);
  const auto stride = [&](const bm::blocks_along& blocks, const auto& access) {
    (void)bm::block_stride(one_warp, blocks, access);
  };
  breaks("at_least_two_blocks_must_be_compared", {"1 blocks", "2 or more"},
         [&] { stride({bm::axis::x, 1}, row); });
  breaks("block_indices_must_not_be_negative", {"(-1, 0, 0)", "0 or more"},
         [&] { stride({bm::axis::x, 2, {-1, 0, 0}}, row); });
  breaks("blocks_must_touch_memory", {"no block touches a byte", "conditions"},
         [&] { stride(bm::axis::x, bm::if_threads(tx > 40, row)); });
  breaks("block_stride_must_be_asked_of_one_array_in_global_memory", {"global_array() by itself"},
         [&] { stride(bm::axis::x, bm::load(bm::shared_array<float>("s", 64)[tx])); });
  breaks("lanes_and_warps_must_be_those_of_a_machine", {"block_stride(machine, block"},
         [&] { stride(bm::axis::x, bm::load(line[lane])); });
  breaks("the_places_of_a_block_must_be_few_enough_to_compare", {"4096 runs", "fewer threads"},
         [&] {
           stride(bm::axis::x,
                  bm::load(bm::for_loop(j, bm::range(0, 5000), pointer[bx + j * j * 64 + 0 * tx])));
         });
  breaks("the_first_cache_must_hold_global_memory", {"machine 13", "since 2.0", "as it is"},
         [] { (void)bm::with_uncached_loads(bm::nvidia::sm_13); });
  breaks("the_machine_must_have_partitions", {"0 partitions of 0 bytes", ".global.partitions"},
         [&] { (void)bm::partition_camping(sm_90, one_warp, bm::axis::x, row); });
  breaks("the_requests_of_blocks_must_be_few_enough_to_place", {"4000000 requests", "fewer blocks"},
         [&] {
           (void)bm::partition_camping(
               bm::nvidia::sm_13, one_warp, bm::axis::x,
               bm::load(bm::for_loop(i, bm::range(0, 5'000'000), pointer[tx + 64 * i])));
         });
}
