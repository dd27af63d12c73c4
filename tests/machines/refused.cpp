// SPDX-License-Identifier: MIT
// Unknown machines, inconsistent records of user-defined machines, blocks that do not fit.
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/arithmetic_rates.hpp>
#include <bankmodel/machines/compare.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/machines/products.hpp>
#include <bankmodel/machines/validated.hpp>
#include <bankmodel/model/occupancy.hpp>

#include "refused.hpp"

namespace bm = bankmodel;

namespace {

constexpr std::uint64_t disjoint[] = {0x0f, 0xf0}, twice[] = {0x0f, 0xf8}, skewed[] = {0x17, 0xe8};

constexpr bm::machine mine(unsigned char bit, int bank_width, int shared_bytes) {
  bm::machine m;
  m.lanes = 8;
  m.bank_width = bank_width;
  m.loads.up_to_4 = {.bank_num = 8, .W = 4, .N = 4, .phases = {bit}};
  m.limits.shared_per_multiprocessor = 4096;
  m.limits.shared_per_block = m.limits.shared_per_block_opt_in = shared_bytes;
  return m;
}

constexpr bm::machine holding_warps(int warps) {
  return {.lanes = 32,
          .limits = {.shared_per_multiprocessor = 65536,
                     .shared_per_block = 32768,
                     .shared_per_block_opt_in = 32768,
                     .shared_granularity = 256,
                     .threads_per_block = 1024,
                     .threads_per_multiprocessor = 2048,
                     .warps_per_multiprocessor = warps,
                     .blocks_per_multiprocessor = 16}};
}

}  // namespace

const refusal refusals_of_machines[] = {
    refused(
        "compute_capability_must_be_a_known_one",
        [] { (void)bm::nvidia::compute_capability(9, 1); },
        [] { return bm::nvidia::compute_capability(9, 0) == bm::nvidia::sm_90; }),
    refused(
        "minor_of_a_compute_capability_must_be_0_to_9",
        [] { (void)bm::nvidia::compute_capability(9, 10); },
        [] { return bm::nvidia::compute_capability(8, 9) == bm::nvidia::sm_89; }),
    refused(
        "a_gfx_name_must_be_gfx_and_its_number", [] { (void)bm::amd::gfx("gfx9-generic"); },
        [] { return bm::amd::gfx("gfx906:sramecc+:xnack-") == bm::amd::gfx906; }),
    refused(
        "a_gfx_must_be_a_known_one", [] { (void)bm::amd::gfx("gfx943"); },
        [] { return bm::amd::gfx("gfx942").lanes == 64; }),
    refused(  // it has 16 banks
        "a_gfx_must_have_known_phases", [] { (void)bm::amd::gfx("gfx810"); },
        [] { return bm::amd::gfx("gfx805").lanes == 64; }),
    refused(
        "wave64_is_a_mode_of_gfx1010_to_gfx1201", [] { (void)bm::amd::in_wave64(bm::amd::gfx942); },
        [] { return bm::amd::in_wave64(bm::amd::gfx1100).lanes == 64; }),

    refused(
        "the_product_of_a_machine_must_be_known",
        [] { (void)bm::product_of(bm::nvidia::sm_35).cycles_of(1); },
        [] { return bm::product_of(bm::nvidia::sm_90).cycles_of(8192) == 640; }),
    refused(
        "the_rate_must_be_known",
        [] { (void)bm::arithmetic_rates_of(bm::nvidia::sm_35).floats.cycles_of(1000); },
        [] { return bm::arithmetic_rates_of(bm::nvidia::sm_90).floats.cycles_of(32000) == 250; }),
    refused(
        "the_product_of_a_machine_must_be_known",
        [] { (void)bm::product_of(bm::nvidia::sm_90).cache_cycles_of(1); },
        [] { return bm::product_of(bm::nvidia::sm_80).cache_cycles_of(8192) == 173; }),

    refused(
        "phases_must_partition_the_lanes", [] { (void)bm::phases_of_lanes(twice, 8); },
        [] { return bm::phases_of_lanes(disjoint, 8) == bm::lane_groups{4}; }),
    refused(
        "phases_must_be_cosets", [] { (void)bm::phases_of_lanes(skewed, 8); },
        [] { return bm::phases_of_lanes(disjoint, 8) == bm::lane_groups{4}; }),
    refused(
        "phases_must_be_1_2_4_or_8_of_a_power_of_two_of_lanes",
        [] { (void)bm::phases_of_lanes(disjoint, 12); },
        [] { return bm::phases_of_lanes(disjoint, 8) == bm::lane_groups{4}; }),
    refused(
        "consecutive_lanes_must_be_powers_of_two", [] { (void)bm::consecutive_lanes(3, 8); },
        [] { return bm::consecutive_lanes(4, 8) == bm::lane_groups{4}; }),
    refused(
        "phases_must_leave_no_phase_empty", [] { (void)bm::validated(mine(8, 4, 4096)); },
        [] { return bm::validated(mine(4, 4, 4096)).lanes == 8; }),
    refused(
        "words_must_be_as_wide_as_the_machines_banks",
        [] { (void)bm::validated(mine(4, 8, 4096)); },
        [] { return bm::validated(mine(4, 4, 4096)).lanes == 8; }),
    refused(
        "limits_of_a_machine_must_be_consistent", [] { (void)bm::validated(mine(4, 4, 8192)); },
        [] { return bm::validated(mine(4, 4, 4096)).lanes == 8; }),

    refused(
        "a_block_must_have_threads_and_nothing_negative",
        [] { (void)bm::resident(bm::nvidia::sm_90, {.threads = 0, .shared_bytes = 16384}); },
        [] {
          return bm::resident(bm::nvidia::sm_90, {.threads = 256, .shared_bytes = 16384}).blocks ==
                 8;
        }),
    refused(
        "a_thread_must_have_at_most_the_registers_of_the_machine",
        [] {
          (void)bm::resident(bm::nvidia::sm_90, {.threads = 256, .registers_per_thread = 256});
        },
        [] {
          return bm::resident(bm::nvidia::sm_90, {.threads = 256, .registers_per_thread = 255})
                     .blocks == 1;
        }),
    refused(
        "the_machine_must_state_its_limits",
        [] { (void)bm::resident(holding_warps(0), {.threads = 128}); },
        [] { return bm::resident(holding_warps(64), {.threads = 128}).blocks == 16; }),
    refused(
        "the_machine_must_state_its_registers",
        [] { (void)bm::resident(holding_warps(64), {.threads = 128, .registers_per_thread = 32}); },
        [] {
          return bm::resident(holding_warps(64), {.threads = 128, .registers_per_thread = 0})
                     .blocks == 16;
        }),
    refused(
        "so_many_blocks_must_be_able_to_be_resident",
        [] { (void)bm::largest_shared_bytes(bm::nvidia::sm_90, 256, 9); },
        [] { return bm::largest_shared_bytes(bm::nvidia::sm_90, 256, 8) > 0; }),
    {},
};
