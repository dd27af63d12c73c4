// SPDX-License-Identifier: MIT
// Accesses that are errors when they are counted.
#include <bankmodel/analyze.hpp>
#include <bankmodel/count/request_classes.hpp>
#include <bankmodel/kernel/instructions.hpp>
#include <bankmodel/layout/families.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include "refused.hpp"

namespace bm = bankmodel;
using namespace bm::index;
using bm::for_loop;
using bm::range;

namespace {

constexpr bm::block_dim one_warp{32};
constexpr auto a = bm::shared_array<float>("a", 64);
constexpr auto line = bm::shared_array<float>("line", 32);
constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
constexpr auto quads = bm::shared_array<float>("quads", 512);
constexpr auto halves = bm::shared_array<short>("halves", 32, 8);
constexpr auto bytes = bm::shared_array<signed char>("bytes", 1 << 20);
constexpr auto words = bm::shared_array<float>("words", 1 << 20);
constexpr auto bent = bm::shared_array<float>("bent", 32 * 1000 * 1000);

constexpr bm::cost total(const auto& access) {
  return bm::total(bm::nvidia::sm_90, one_warp, access);
}

constexpr bm::cost of_class(std::uint64_t times) {
  bm::request_class pattern;
  pattern.lanes.active = 1;
  pattern.times = times;
  return bm::total(bm::nvidia::sm_90, pattern);
}

// Bases that may differ in cost at each of 512 bytes.
constexpr bm::cost of_bases(long long trips) {
  bm::machine m;
  m.lanes = 32;
  m.loads.up_to_4 = m.stores.up_to_4 = {.bank_num = 64, .W = 8, .N = 4};
  bm::request_class pattern{.lanes = {.active = 0xffffffff, .bytes = 1}};
  for (int thread = 0; thread < 32; ++thread) pattern.lanes.address[thread] = 37 * thread * thread;
  pattern.loops = 1;
  pattern.loop[0] = {1, trips};
  return bm::total(m, pattern);
}

// Its base matters modulo 256 bytes on Kepler.
constexpr bm::cost of_triangle(long long trips, const auto& array) {
  return bm::total(
      bm::nvidia::sm_35, one_warp,
      for_loop(i, range(0, trips), for_loop(j, range(0, i), array[2 * tx + 3 * i + j])));
}

// Its storage has a place for element 31 of 31, too: the last row is whole.
constexpr auto padded_line(int elements) {
  const auto plain = bm::shared_array<float>("padded", elements);
  return plain.with(plain.layout.padded_every(32, 1));
}

// A request for each set of neighbouring lanes below `trips`.
constexpr bm::cost of_lane_sets(long long trips) {
  constexpr auto wide = bm::shared_array<double>("wide", 4096, 2);
  return bm::total(
      bm::nvidia::sm_90, {512},
      for_loop(
          i, range(0, trips),
          if_threads(tx >= i, for_loop(j, range(0, trips),
                                       if_threads(tx < j, bm::vectorized<2>(wide[5 * tx][0]))))));
}

constexpr auto rows_of(int floats) { return bm::shared_array<float>("rows", 8, floats); }

// tx + (tx + (tx + ...)): each level keeps one value more while the rest is computed.
template <int Levels>
constexpr auto nested() {
  if constexpr (Levels == 1)
    return tx;
  else
    return tx + nested<Levels - 1>();
}

template <int Terms>
constexpr auto sum() {
  if constexpr (Terms == 1)
    return tx;
  else
    return sum<Terms / 2>() + sum<Terms - Terms / 2>();
}

constexpr auto rotated(const bm::permutation& mapping) {
  return tile.with(tile.layout.permuted(mapping));
}

constexpr auto every_32(const auto& subscript) {
  const auto plain = bm::shared_array<float>("long", 65536);
  return plain.with(plain.layout.padded_every(32, 1))[subscript];
}
constexpr auto hundred_terms = every_32(sum<100>());
constexpr auto four_hundred_terms = every_32(sum<400>());

// conflict_free keeps a template from being used: such a call is not well-formed.
template <auto Access>
  requires bm::conflict_free<bm::nvidia::sm_90, bm::block_dim{32, 8}, Access>
constexpr int only_without_conflicts() {
  return 1;
}
template <auto Access>
concept usable = requires { only_without_conflicts<Access>(); };
constexpr auto padded = bm::shared_array<float>("padded", 32, 33);
static_assert(only_without_conflicts<bm::load(padded[tx][ty])>() == 1);
static_assert(usable<bm::load(padded[tx][ty])> && !usable<bm::load(tile[tx][ty])>);
// Without a machine or a block it is false.
static_assert(!bm::conflict_free<bm::block_dim{32}, bm::load(padded[tx][ty])>);
static_assert(!bm::conflict_free<bm::nvidia::sm_90, bm::load(padded[tx][ty])>);
static_assert(!bm::conflict_free<bm::nvidia::sm_90, 32>);

}  // namespace

const refusal refusals_of_totals[] = {
    refused(
        "the_block_must_have_threads",
        [] { (void)bm::total(bm::nvidia::sm_90, bm::block_dim{32, 0}, line[tx]); },
        [] { return bm::total(bm::nvidia::sm_90, bm::block_dim{32, 1}, line[tx]).requests == 1; }),
    refused(
        "the_block_must_fit_the_machine",
        [] { (void)bm::total(bm::nvidia::sm_90, bm::block_dim{32, 33}, line[tx]); },
        [] {
          return bm::total(bm::nvidia::sm_90, bm::block_dim{32, 32}, line[tx]).requests == 32;
        }),
    refused(  // NVIDIA has no 12-byte access
        "the_machine_must_have_accesses_of_this_width",
        [] { (void)total(bm::vectorized<3>(quads[3 * tx])); },
        [] { return total(bm::vectorized<4>(quads[4 * tx])).requests == 1; }),

    refused(  // an error, and no "not free of conflicts"
        "too_few_subscripts", [] { (void)total(for_loop(j, range(0, 4), tile[tx])); },
        [] { return total(for_loop(j, range(0, 4), tile[j][tx])).requests == 4; }),
    refused(
        "subscripts_must_lie_within_their_extent",
        [] {
          (void)bm::total(bm::nvidia::sm_90, {32, 8}, bm::shared_array<float>("t", 31, 33)[tx][ty]);
        },
        [] {
          return bm::total(bm::nvidia::sm_90, {32, 8}, bm::shared_array<float>("t", 32, 33)[tx][ty])
                     .conflicts() == 0;
        }),
    // A halo without its guard; an inactive lane is not an error.
    refused(
        "subscripts_must_lie_within_their_extent", [] { (void)total(line[tx - 1]); },
        [] { return total(bm::if_threads(tx > 0, line[tx - 1])).conflicts() == 0; }),
    refused(
        "subscripts_must_lie_within_their_extent", [] { (void)total(padded_line(31)[tx]); },
        [] { return total(padded_line(32)[tx]).conflicts() == 0; }),
    refused(  // one iteration too many: ty + j reaches 32
        "subscripts_must_lie_within_their_extent",
        [] {
          (void)bm::total(bm::nvidia::sm_90, {32, 8},
                          for_loop(j, range(0, 33, 8), tile[ty + j][tx]));
        },
        [] {
          return bm::total(bm::nvidia::sm_90, {32, 8},
                           for_loop(j, range(0, 32, 8), tile[ty + j][tx]))
                     .conflicts() == 0;
        }),
    refused(  // the last float of the last float4
        "subscripts_must_lie_within_their_extent",
        [] { (void)total(bm::vectorized<4>(bm::shared_array<float>("q", 127)[4 * tx])); },
        [] {
          return total(bm::vectorized<4>(bm::shared_array<float>("q", 128)[4 * tx])).conflicts() ==
                 0;
        }),

    refused(  // a float4 at every third float
        "accesses_must_be_aligned_to_their_width",
        [] { (void)total(bm::vectorized<4>(quads[3 * tx])); },
        [] { return total(bm::vectorized<4>(quads[4 * tx])).conflicts() == 0; }),
    refused(
        "accesses_must_be_aligned_to_their_width",
        [] { (void)total(bm::vectorized<4>(quads.at(4)[4 * tx])); },
        [] { return total(bm::vectorized<4>(quads.at(16)[4 * tx])).conflicts() == 0; }),
    refused(  // aligned in the first iteration, not in the second
        "accesses_must_be_aligned_to_their_width",
        [] {
          (void)bm::total(bm::nvidia::sm_90, {16},
                          for_loop(j, range(0, 8), bm::vectorized<2>(rows_of(33)[j][2 * tx])));
        },
        [] {
          return bm::total(bm::nvidia::sm_90, {16},
                           for_loop(j, range(0, 8), bm::vectorized<2>(rows_of(34)[j][2 * tx])))
                     .requests == 8;
        }),
    refused(
        "permuted_groups_must_hold_whole_wide_accesses",
        [] {
          (void)bm::total(bm::nvidia::sm_90, {8, 8},
                          bm::vectorized<4>(rotated(bm::rotation(1))[ty][4 * tx]));
        },
        [] {
          const auto by_four = rotated(bm::rotation(1).in_groups_of(4));
          return bm::total(bm::nvidia::sm_90, {8, 8}, bm::vectorized<4>(by_four[ty][4 * tx]))
                     .conflicts() == 0;
        }),
    refused(
        "subscripts_of_this_layout_must_be_shorter", [] { (void)total(four_hundred_terms); },
        [] { return total(hundred_terms).wavefronts > 0; }),

    refused(
        "divisor_must_not_be_zero", [] { (void)total(a[32 / tx]); },
        [] { return total(bm::if_threads(tx != 0 && 32 / tx > 0, a[32 / tx])).requests == 1; }),
    refused(
        "division_must_be_of_values_that_are_not_negative",
        [] { (void)total(line[(tx - 1) % 32]); },
        [] { return total(line[(tx + 31) % 32]).conflicts() == 0; }),
    refused(
        "shifts_must_be_by_0_to_62", [] { (void)total(a[tx >> 63]); },
        [] { return total(a[tx >> 62]).requests == 1; }),
    refused(
        "index_must_nest_at_most_32_deep",
        [] { (void)total(bm::shared_array<float>("b", 2048)[nested<33>()]); },
        [] { return total(bm::shared_array<float>("b", 2048)[nested<32>()]).requests == 1; }),
    refused(
        "index_arithmetic_must_fit_in_64_bits", [] { (void)total(line[tx * (1ll << 60) % 32]); },
        [] { return total(line[tx * (1ll << 57) % 32]).requests == 1; }),

    refused(
        "loop_variables_must_stand_inside_their_for_loop",
        [] { (void)total(for_loop(i, range(0, 32), tile[j][tx])); },
        [] { return total(for_loop(j, range(0, 32), tile[j][tx])).requests == 32; }),
    refused(  // in its own bound
        "loop_variables_must_stand_inside_their_for_loop",
        [] { (void)total(for_loop(i, range(0, 8 - i), a[tx])); },
        [] { return total(for_loop(i, range(0, 8), a[tx])).requests == 8; }),
    refused(  // in the bound of an outer loop
        "loop_variables_must_stand_inside_their_for_loop",
        [] { (void)total(for_loop(i, range(0, j), for_loop(j, range(0, 4), a[tx]))); },
        [] {
          return total(for_loop(j, range(0, 4), for_loop(i, range(0, j), a[tx]))).requests == 6;
        }),
    refused(
        "nested_loops_must_have_different_variables",
        [] { (void)total(for_loop(i, range(0, 8), for_loop(i, range(0, 4), a[tx + i]))); },
        [] {
          return total(for_loop(i, range(0, 8), for_loop(j, range(0, 4), a[tx + i]))).requests ==
                 32;
        }),
    // for (j = 0; j < 64; j += threadIdx.x): the first thread never ends.
    refused(
        "step_must_not_be_zero", [] { (void)total(for_loop(j, range(0, 64, tx), a[j])); },
        [] { return total(for_loop(j, range(0, 64, tx + 1), a[j])).requests == 64; }),
    refused(  // a step that depends on an outer loop
        "step_must_not_be_zero",
        [] { (void)total(for_loop(i, range(0, 3), for_loop(j, range(0, 32, i), a[tx + j]))); },
        [] {
          return total(for_loop(i, range(1, 3), for_loop(j, range(0, 32, i), a[tx + j])))
                     .requests == 48;
        }),
    refused(
        "powers_must_end", [] { (void)total(for_loop(j, bm::powers(0, 16, 2), a[tx + j])); },
        [] { return total(for_loop(j, bm::powers(1, 16, 2), a[tx + j])).requests == 4; }),
    refused(  // for (s = 16; s > -1; s /= 2) stays at 0
        "powers_must_end", [] { (void)total(for_loop(j, bm::powers(16, -1, 2), a[tx + j])); },
        [] { return total(for_loop(j, bm::powers(16, 0, 2), a[tx + j])).requests == 5; }),
    refused(
        "powers_must_have_a_direction",
        [] {
          (void)total(for_loop(i, bm::values(8), for_loop(j, bm::powers(i, 1, 2), a[tx + j])));
        },
        [] {
          return total(for_loop(i, bm::values(8), for_loop(j, bm::powers_down(i, 1, 2), a[tx + j])))
                     .requests == 3;
        }),

    // The strides between lanes differ from iteration to iteration: each of 10^6 would be
    // evaluated.
    refused_by_compilers(
        "iterations_must_be_few_enough_to_count",
        [] {
          (void)total(for_loop(i, range(0, 1000), for_loop(j, range(0, 1000), bent[i * j * tx])));
        },
        [] {
          return total(for_loop(i, range(0, 10), for_loop(j, range(0, 10), bent[i * j * tx])))
                     .requests == 100;
        }),
    refused_by_compilers(  // with bounds that are not constants
        "iterations_must_be_few_enough_to_count",
        [] {
          (void)total(for_loop(i, range(0, 1000), for_loop(j, range(0, i), bent[i * j * tx])));
        },
        [] {
          return total(for_loop(i, range(0, 10), for_loop(j, range(0, i), bent[i * j * tx])))
                     .requests == 45;
        }),
    refused_by_compilers(  // triangles of 256 residues; of 64 there is no limit
        "iterations_must_be_few_enough_to_count", [] { (void)of_triangle(100'000, bytes); },
        [] { return of_triangle(100'000, words).requests == 100'000ull * 99'999 / 2; }),
    refused_by_compilers(
        "iterations_must_be_few_enough_to_count", [] { (void)of_bases(201); },
        [] { return of_bases(200).requests == 200; }),
    refused_by_compilers(  // few iterations, but more sets of lanes than a compiler can count
        "iterations_must_be_few_enough_to_count", [] { (void)of_lane_sets(512); },
        [] { return of_lane_sets(4).requests == 3 + 2 + 1; }),
    refused(
        "counts_must_fit_in_64_bits",
        [] {
          (void)total(for_loop(i, range(0, 1ll << 62), for_loop(j, range(0, 1ll << 62), line[tx])));
        },
        [] {
          return total(for_loop(i, range(0, 1ll << 62), for_loop(j, range(0, 1), line[tx])))
                     .requests == 1ull << 62;
        }),

    refused(
        "the_machine_must_have_such_instructions",
        [] {
          (void)bm::total(bm::nvidia::sm_80, one_warp, bm::stmatrix<4>(halves[lane][0 * lane]));
        },
        [] { return total(bm::stmatrix<4>(halves[lane][0 * lane])).wavefronts == 4; }),
    refused(
        "cp_async_copies_4_8_or_16_bytes", [] { (void)total(bm::cp_async<12>(quads[4 * lane])); },
        [] { return total(bm::cp_async<16>(quads[4 * lane])).requests == 1; }),
    refused(
        "matrix_rows_must_be_of_16_bytes",
        [] { (void)total(bm::ldmatrix<4>(bm::vectorized<2>(halves[lane][0 * lane]))); },
        [] { return total(bm::ldmatrix<4>(halves[lane][0 * lane])).requests == 1; }),
    refused(
        "ds_read2_reads_4_or_8_bytes_twice",
        [] {
          (void)bm::total(bm::amd::gfx942, bm::block_dim{8},
                          bm::ds_read2(bm::vectorized<4>(quads[4 * lane]), quads[lane]));
        },
        [] {
          return bm::total(bm::amd::gfx942, bm::block_dim{8},
                           bm::ds_read2(bm::vectorized<2>(quads[4 * lane]), quads[lane]))
                     .requests == 2;
        }),
    refused(
        "ds_read_tr_reads_8_bytes",
        [] {
          (void)bm::total(bm::amd::gfx950, bm::block_dim{8},
                          bm::ds_read_tr(bm::vectorized<2>(halves[lane][0 * lane])));
        },
        [] {
          return bm::total(bm::amd::gfx950, bm::block_dim{8},
                           bm::ds_read_tr(halves[lane][0 * lane]))
                     .requests == 1;
        }),
    refused(
        "a_request_class_must_have_requests", [] { (void)of_class(0); },
        [] { return of_class(3).requests == 3; }),
    {},
};
