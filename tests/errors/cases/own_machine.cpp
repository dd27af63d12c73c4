// SPDX-License-Identifier: MIT
// expect: phases_must_partition_the_lanes
// expect: words_must_be_as_wide_as_the_machines_banks
// expect: lanes_of_a_machine_must_be_1_to_32_or_64
// compilers: g++ clang++ nvcc
// A machine of one's own, whose numbers do not go together.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/validated.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr bool broken = true;
#else
constexpr bool broken = false;
#endif
constexpr std::uint64_t phases[] = {0xf, broken ? 0xf8 : 0xf0};
static_assert(bm::phases_of_lanes(phases, 8) == bm::lane_groups{4});

constexpr bm::machine mine(int lanes, int bank_width) {
  bm::machine m;
  m.lanes = lanes;
  m.bank_width = bank_width;
  m.loads.up_to_4 = {.bank_num = 8, .W = 4, .N = 4, .phases = {4}};
  m.limits.shared_per_multiprocessor = 4096;
  m.limits.shared_per_block = m.limits.shared_per_block_opt_in = 4096;
  return m;
}
static_assert(bm::validated(mine(8, broken ? 8 : 4)).lanes == 8);
static_assert(
    bm::total(mine(broken ? 128 : 8, 4), bm::request{.active = 1, .bytes = 4}).wavefronts == 1);
