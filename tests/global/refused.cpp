// SPDX-License-Identifier: MIT
// Accesses to global memory that are errors.
#include <bankmodel/global.hpp>
#include <bankmodel/kernel/instructions.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/machines/validated.hpp>
#include <bankmodel/optimize.hpp>

#include "refused.hpp"

namespace bm = bankmodel;
using namespace bm::index;
using bm::for_loop;
using bm::load;
using bm::range;

namespace {

constexpr bm::block_dim one_warp{32};
constexpr auto pointer = bm::global_array<float>("pointer", bm::unknown_extent);
constexpr auto line = bm::global_array<float>("line", 1024);
constexpr auto square = bm::global_array<float>("square", 32, 32);
constexpr auto halves = bm::global_array<short>("halves", 32, 8);
constexpr auto shared = bm::shared_array<float>("shared", 64);

constexpr bm::memory_traffic traffic(const auto& access) {
  return bm::traffic(bm::nvidia::sm_90, one_warp, access);
}
constexpr bm::memory_traffic traffic(const auto& access, const bm::grid_dim& grid) {
  return bm::traffic(bm::nvidia::sm_90, one_warp, access, grid);
}

constexpr bm::machine with_units(int sector, int line_bytes) {
  bm::machine m = bm::nvidia::sm_90;
  m.global.sector_bytes = sector;
  m.global.line_bytes = line_bytes;
  return m;
}
constexpr bm::memory_traffic on_units(int sector, int line_bytes) {
  return bm::traffic(with_units(sector, line_bytes), one_warp, pointer[tx]);
}

constexpr bm::memory_traffic of_request(const bm::machine& m, std::uint64_t active, int bytes,
                                        long long first, long long stride,
                                        bm::access_kind kind = bm::access_kind::load) {
  bm::request r{.active = active, .bytes = bytes, .kind = kind};
  for (int lane = 0; lane < bm::max_lanes; ++lane) r.address[lane] = first + stride * lane;
  return bm::traffic(m, r);
}

constexpr bm::machine in_segments(bm::machine m) {
  m.global.rule = bm::coalescing::shrinking;
  return m;
}

constexpr auto row = load(line[32 * bx + tx]);
constexpr bm::block_sharing stride(const bm::blocks_along& blocks, const auto& access) {
  return bm::block_stride(one_warp, blocks, access);
}

// In as many loops, with all six variables.
constexpr auto six_loops(const auto& access) {
  return for_loop(
      i, range(0, 2),
      for_loop(j, range(0, 2),
               for_loop(k, range(0, 2),
                        for_loop(l, range(0, 2),
                                 for_loop(m, range(0, 2), for_loop(n, range(0, 2), access))))));
}
constexpr auto five_loops(const auto& access) {
  return for_loop(i, range(0, 2),
                  for_loop(j, range(0, 2),
                           for_loop(k, range(0, 2),
                                    for_loop(l, range(0, 2), for_loop(m, range(0, 2), access)))));
}

}  // namespace

const refusal refusals_of_global_memory[] = {
    refused(
        "sectors_and_lines_must_be_powers_of_two", [] { (void)on_units(48, 128); },
        [] { return on_units(64, 128).transactions == 2; }),
    refused(
        "sectors_and_lines_must_be_powers_of_two", [] { (void)on_units(32, 96); },
        [] { return on_units(32, 64).lines == 2; }),
    refused(
        "sectors_and_lines_must_be_powers_of_two", [] { (void)on_units(128, 64); },
        [] { return on_units(64, 64).lines == 2; }),
    refused(
        "sectors_and_lines_must_be_powers_of_two", [] { (void)on_units(2, 128); },
        [] { return on_units(4, 128).transactions == 32; }),
    refused(
        "sectors_and_lines_must_be_powers_of_two", [] { (void)on_units(512, 512); },
        [] { return on_units(256, 256).transactions == 1; }),
    refused(
        "sectors_and_lines_must_be_powers_of_two", [] { (void)on_units(-32, 128); },
        [] { return on_units(32, 128).transactions == 4; }),
    refused(  // a machine of which nothing is known
        "sectors_and_lines_must_be_powers_of_two",
        [] { (void)bm::traffic(bm::machine{.lanes = 32}, one_warp, pointer[tx]); },
        [] {
          const bm::machine minimal{.lanes = 32, .global = {32, 128}};
          return bm::traffic(minimal, one_warp, pointer[tx]).transactions == 4;
        }),
    refused(
        "sectors_and_lines_must_be_powers_of_two",
        [] { (void)of_request(with_units(0, 0), 1, 4, 0, 4); },
        [] { return of_request(with_units(32, 32), 1, 4, 0, 4).lines == 1; }),
    refused(
        "limits_of_a_machine_must_be_consistent", [] { (void)bm::validated(with_units(128, 64)); },
        [] { return bm::validated(with_units(64, 128)).global.line_bytes == 128; }),

    refused(
        "a_grid_must_have_blocks", [] { (void)traffic(pointer[32 * bx + tx], {0}); },
        [] { return traffic(pointer[32 * bx + tx], {1}).requests == 1; }),
    refused(
        "a_grid_must_have_blocks", [] { (void)traffic(pointer[tx], {4, -1}); },
        [] { return traffic(pointer[tx], {4, 1}).requests == 4; }),
    refused(
        "a_grid_must_have_blocks", [] { (void)traffic(shared[tx], {1, 1, 0}); },
        [] { return traffic(shared[tx], {1, 1, 1}).requests == 0; }),
    refused(
        "a_grid_must_find_unused_loop_variables",
        [] { (void)traffic(six_loops(pointer[32 * bx + tx]), {2}); },
        [] { return traffic(five_loops(pointer[32 * bx + tx]), {2}).requests == 64; }),
    refused(
        "a_grid_must_find_unused_loop_variables",
        [] { (void)traffic(five_loops(pointer[32 * bx + 64 * by + tx]), {2, 2}); },
        [] { return traffic(six_loops(pointer[tx]), {2, 2}).requests == 256; }),

    refused(
        "subscripts_must_lie_within_their_extent", [] { (void)traffic(square[tx][tx + 1]); },
        [] { return traffic(square[tx][tx]).requests == 1; }),
    refused(  // the last block
        "subscripts_must_lie_within_their_extent", [] { (void)traffic(line[32 * bx + tx], {33}); },
        [] { return traffic(line[32 * bx + tx], {32}).requests == 32; }),
    refused(  // the last block, without a guard
        "subscripts_must_lie_within_their_extent",
        [] { (void)traffic(load(line[31 * bx + tx + 1]), {33}); },
        [] {
          return traffic(bm::if_threads(31 * bx + tx + 1 < 1024, line[31 * bx + tx + 1]), {33})
                     .requests == 33;
        }),
    refused(
        "subscripts_must_lie_within_their_extent", [] { (void)traffic(pointer[tx - 1]); },
        [] { return traffic(bm::if_threads(tx > 0, pointer[tx - 1])).requests == 1; }),
    refused(  // another dimension than the unknown one
        "subscripts_must_lie_within_their_extent",
        [] { (void)traffic(bm::global_array<float>("p", bm::unknown_extent, 1000)[bx][tx + 969]); },
        [] {
          return traffic(bm::global_array<float>("p", bm::unknown_extent, 1000)[bx][tx + 968])
                     .requests == 1;
        }),
    refused(
        "subscripts_must_lie_within_their_extent",
        [] {
          (void)bm::traffic(bm::nvidia::sm_90, one_warp, load(line[32 * bx + tx]),
                            bm::block_index{32});
        },
        [] {
          return bm::traffic(bm::nvidia::sm_90, one_warp, load(line[32 * bx + tx]),
                             bm::block_index{31})
                     .requests == 1;
        }),
    refused(  // the last float of the last float4
        "subscripts_must_lie_within_their_extent",
        [] { (void)traffic(bm::vectorized<4>(line[4 * tx + 900])); },
        [] { return traffic(bm::vectorized<4>(line[4 * tx + 896])).transactions == 16; }),
    refused(
        "too_few_subscripts", [] { (void)traffic(square[tx]); },
        [] { return traffic(square[tx][0 * tx]).lines == 32; }),

    refused(
        "row_strides_must_hold_their_rows", [] { (void)bm::with_row_stride(square, 124); },
        [] { return traffic(bm::with_row_stride(square, 128)[tx][0 * tx]).lines == 32; }),
    refused(
        "row_strides_must_hold_their_rows", [] { (void)bm::with_row_stride(square, 130); },
        [] { return bm::with_row_stride(square, 132).layout.stride[0] == 33; }),
    refused(
        "row_strides_must_hold_their_rows", [] { (void)bm::with_row_stride(line, 4096); },
        [] {  // a second one replaces the first
          return bm::with_row_stride(bm::with_row_stride(square, 512), 256).layout.stride[0] == 64;
        }),
    refused(
        "array_base_must_be_aligned_to_its_element", [] { (void)line.at(2); },
        [] { return traffic(line.at(4)[tx]).transactions == 5; }),
    refused(
        "accesses_must_be_aligned_to_their_width",
        [] { (void)traffic(bm::vectorized<4>(line.at(4)[4 * tx])); },
        [] { return traffic(bm::vectorized<4>(line.at(16)[4 * tx])).transactions == 17; }),
    refused(  // rows of 33 floats
        "accesses_must_be_aligned_to_their_width",
        [] { (void)traffic(bm::vectorized<2>(bm::with_row_stride(square, 132)[tx][0 * tx])); },
        [] {
          return traffic(bm::vectorized<2>(bm::with_row_stride(square, 136)[tx][0 * tx])).lines ==
                 32;
        }),

    refused(
        "global_memory_has_loads_stores_and_atomics_only",
        [] { (void)traffic(bm::ldmatrix<4>(halves[lane][0 * lane])); },
        [] { return traffic(bm::atomic(line[0 * lane])).transactions == 1; }),
    refused(
        "global_memory_has_loads_stores_and_atomics_only",
        [] { (void)of_request(bm::nvidia::sm_90, 0xff, 16, 0, 16, bm::access_kind::load_matrix); },
        [] {
          return of_request(bm::nvidia::sm_90, 0xff, 4, 0, 4, bm::access_kind::atomic)
                     .transactions == 1;
        }),
    refused(
        "the_machine_must_have_accesses_of_this_width",
        [] { (void)traffic(bm::vectorized<3>(line[3 * tx])); },
        [] {
          return bm::traffic(bm::amd::gfx942, one_warp, bm::vectorized<3>(line[3 * tx]))
                     .transactions == 3;
        }),
    refused(
        "the_machine_must_have_accesses_of_this_width",
        [] { (void)of_request(bm::nvidia::sm_90, 1, 3, 0, 3); },
        [] { return of_request(bm::nvidia::sm_90, 1, 2, 0, 3).bytes_used == 2; }),
    refused(
        "the_machine_must_have_accesses_of_this_width",
        [] { (void)of_request(bm::nvidia::sm_90, 1, 0, 0, 4); },
        [] { return of_request(bm::nvidia::sm_90, 1, 1, 0, 4).bytes_used == 1; }),
    refused(
        "the_machine_must_have_accesses_of_this_width",
        [] { (void)of_request(bm::nvidia::sm_90, 1, 32, 0, 32); },
        [] { return of_request(bm::nvidia::sm_90, 1, 16, 0, 32).bytes_used == 16; }),
    refused(
        "active_lanes_must_be_of_the_warp",
        [] { (void)of_request(bm::nvidia::sm_90, 1ull << 32, 4, 0, 4); },
        [] { return of_request(bm::nvidia::sm_90, 1ull << 31, 4, 0, 4).requests == 1; }),
    refused(
        "addresses_of_a_request_must_not_be_negative",
        [] { (void)of_request(bm::nvidia::sm_90, 1, 4, -4, 4); },
        [] { return of_request(bm::nvidia::sm_90, 2, 4, -4, 4).requests == 1; }),
    refused(
        "accesses_must_be_aligned_to_their_width",
        [] { (void)of_request(bm::nvidia::sm_90, 1, 8, 4, 8); },
        [] { return of_request(bm::nvidia::sm_90, 2, 8, 4, 4).requests == 1; }),

    refused(  // it has nothing to place in shared memory
        "a_kernel_to_plan_must_access_shared_memory",
        [] { (void)bm::optimize(bm::nvidia::sm_90, bm::kernel(one_warp, load(pointer[tx]))); },
        [] {
          const auto kernel = bm::kernel(one_warp, load(pointer[tx]), bm::store(shared[tx]));
          return bm::optimize(bm::nvidia::sm_90, kernel).after().wavefronts == 1;
        }),
    refused(
        "counts_must_fit_in_64_bits", [] { (void)traffic(pointer[tx], {1ll << 40, 1ll << 40}); },
        [] { return traffic(pointer[tx], {1ll << 25, 1ll << 25}).requests == 1ull << 50; }),
    refused(  // 128 bytes each time
        "counts_must_fit_in_64_bits",
        [] { (void)traffic(for_loop(i, range(0, 1ll << 58), pointer[tx])); },
        [] {
          return traffic(for_loop(i, range(0, 1ll << 56), pointer[tx])).bytes_used == 1ull << 63;
        }),
    refused(
        "the_block_must_fit_the_machine",
        [] { (void)bm::traffic(bm::nvidia::sm_90, bm::block_dim{32, 33}, pointer[tx]); },
        [] {
          return bm::traffic(bm::nvidia::sm_90, bm::block_dim{32, 32}, pointer[tx]).requests == 32;
        }),
    refused(
        "lanes_of_a_machine_must_be_1_to_32_or_64",
        [] { (void)bm::traffic(bm::machine{.lanes = 48}, one_warp, shared[tx]); },
        [] { return bm::traffic(bm::machine{.lanes = 64}, one_warp, shared[tx]).requests == 0; }),
    refused(
        "at_least_two_blocks_must_be_compared", [] { (void)stride({bm::axis::x, 1}, row); },
        [] { return stride({bm::axis::x, 2}, row).bytes == 128; }),
    refused(
        "block_indices_must_not_be_negative",
        [] { (void)stride({bm::axis::x, 2, {-1, 0, 0}}, row); },
        [] { return stride({bm::axis::x, 2, {1, 0, 0}}, row).bytes == 128; }),
    refused(
        "blocks_must_touch_memory", [] { (void)stride(bm::axis::x, bm::if_threads(tx > 40, row)); },
        [] { return stride(bm::axis::x, bm::if_threads(tx > 4, row)).touched_bytes == 108; }),
    refused(
        "block_stride_must_be_asked_of_one_array_in_global_memory",
        [] { (void)stride(bm::axis::x, load(shared[tx])); },
        [] { return stride(bm::axis::x, load(line[tx])).bytes == 0; }),
    refused(
        "lanes_and_warps_must_be_those_of_a_machine",
        [] { (void)stride(bm::axis::x, load(line[lane])); },
        [] {
          return bm::block_stride(bm::nvidia::sm_90, one_warp, bm::axis::x, load(line[lane]))
                     .bytes == 0;
        }),
    refused(
        "the_places_of_a_block_must_be_few_enough_to_compare",
        [] {
          (void)stride(bm::axis::x,
                       load(for_loop(j, range(0, 5000), pointer[bx + j * j * 64 + 0 * tx])));
        },
        [] {
          return stride(bm::axis::x,
                        load(for_loop(j, range(0, 5), pointer[bx + j * j * 64 + 0 * tx])))
                     .bytes == 4;
        }),
    refused(
        "the_machine_must_have_partitions",
        [] { (void)bm::partition_camping(bm::nvidia::sm_90, one_warp, bm::axis::x, row); },
        [] {
          return bm::partition_camping(bm::nvidia::sm_13, one_warp, bm::axis::x, row)
                     .transactions == 8;
        }),
    refused(
        "the_requests_of_blocks_must_be_few_enough_to_place",
        [] {
          (void)bm::partition_camping(bm::nvidia::sm_13, one_warp, bm::axis::x,
                                      load(for_loop(i, range(0, 5'000'000), pointer[tx + 64 * i])));
        },
        [] {
          return bm::partition_camping(bm::nvidia::sm_13, one_warp, bm::axis::x,
                                       load(for_loop(i, range(0, 5), pointer[tx + 64 * i])))
                     .transactions == 40;
        }),
    refused(  // 12 bytes could be in two segments of 1.2
        "the_machine_must_have_accesses_of_this_width",
        [] { (void)of_request(in_segments(bm::amd::gfx90a), 1, 12, 0, 12); },
        [] { return of_request(bm::amd::gfx90a, 1, 12, 0, 12).transactions == 1; }),
    refused(
        "the_first_cache_must_hold_global_memory",
        [] { (void)bm::with_cached_loads(bm::nvidia::sm_13); },
        [] { return bm::with_cached_loads(bm::nvidia::sm_35).global.line_bytes == 128; }),
    refused(
        "the_first_cache_must_hold_global_memory",
        [] { (void)bm::with_uncached_loads(bm::amd::gfx942); },
        [] { return bm::with_uncached_loads(bm::nvidia::sm_90).global.line_bytes == 128; }),
    {},
};
