// SPDX-License-Identifier: MIT
// expect: phases_must_partition_the_lanes
// expect: phases_must_be_1_2_4_or_8_of_a_power_of_two_of_lanes
// expect: phases_must_be_cosets
// expect: consecutive_lanes_must_be_powers_of_two
// expect: phases_must_leave_no_phase_empty
// expect: words_must_be_as_wide_as_the_machines_banks
// expect: limits_of_a_machine_must_be_consistent
#include <bankmodel/machines/validated.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr bool broken = true;
#else
constexpr bool broken = false;
#endif
constexpr std::uint64_t twice[] = {0xf, broken ? 0xf8 : 0xf0},
                        skewed[] = {broken ? 0x17u : 0x0fu, broken ? 0xe8u : 0xf0u};
static_assert(bm::phases_of_lanes(twice, 8) == bm::lane_groups{4});
static_assert(bm::phases_of_lanes(skewed, 8) == bm::lane_groups{4});
static_assert(bm::consecutive_lanes(broken ? 3 : 4, 8) == bm::lane_groups{4});
static_assert(bm::phases_of_lanes(skewed, broken ? 12 : 8) == bm::lane_groups{4});

constexpr bm::machine mine(int bit, int bank_width, int shared_bytes) {
  bm::machine m;
  m.lanes = 8;
  m.bank_width = bank_width;
  m.loads.up_to_4 = {.bank_num = 8, .W = 4, .N = 4, .phases = {static_cast<unsigned char>(bit)}};
  m.limits.shared_per_multiprocessor = 4096;
  m.limits.shared_per_block = m.limits.shared_per_block_opt_in = shared_bytes;
  return m;
}
static_assert(bm::validated(mine(broken ? 8 : 4, 4, 4096)).lanes == 8);
static_assert(bm::validated(mine(4, broken ? 8 : 4, 4096)).lanes == 8);
static_assert(bm::validated(mine(4, 4, broken ? 8192 : 4096)).lanes == 8);
