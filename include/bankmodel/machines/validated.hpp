// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MACHINES_VALIDATED_HPP
#define BANKMODEL_MACHINES_VALIDATED_HPP

#include <bankmodel/model/machine.hpp>

#include <bankmodel/core/hide_macros.hpp>

// Tools for a machine of your own: phases from lists of lanes, and a check of the record's
// consistency.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void phases_must_partition_the_lanes(long long lane, long long times) {
  detail::fail(__func__,
               "lane % is in % phases; put each lane of the warp, and no other, into exactly "
               "one phase",
               lane, times);
}
[[noreturn]] BANKMODEL_FN void phases_must_be_1_2_4_or_8_of_a_power_of_two_of_lanes(
    long long phases, long long lanes) {
  detail::fail(__func__,
               "% phases of a warp of % lanes are not possible; use 1, 2, 4 or 8 phases, and a "
               "power of two of lanes up to 64",
               phases, lanes);
}
[[noreturn]] BANKMODEL_FN void phases_must_be_cosets(long long phase, long long lane) {
  detail::fail(__func__,
               "phase %, whose first lane is %, is not phase 0 with every lane number XORed by "
               "one number, or lane 0 is not in phase 0. No real machine has such phases; call "
               "total() for each phase as a request of its own",
               phase, lane);
}
[[noreturn]] BANKMODEL_FN void phases_must_leave_no_phase_empty(long long phase, long long lanes) {
  detail::fail(__func__,
               "phase % has no lane among the % of the machine; use sets that are not empty, or "
               "parities below the number of lanes, none of them the XOR of others or after a 0",
               phase, lanes);
}
[[noreturn]] BANKMODEL_FN void consecutive_lanes_must_be_powers_of_two(long long phase_lanes,
                                                                       long long lanes) {
  detail::fail(__func__,
               "phases of % neighbouring lanes in a warp of % are not possible; use powers of "
               "two up to 64, the first at most the second and at least an eighth of it",
               phase_lanes, lanes);
}
[[noreturn]] BANKMODEL_FN void words_must_be_as_wide_as_the_machines_banks(long long N,
                                                                           long long bank_width) {
  detail::fail(__func__,
               "a word has N = % bytes, but the machine's .bank_width is %; make them equal, "
               "and .other_bank_width 0 or another width of at most W",
               N, bank_width);
}
[[noreturn]] BANKMODEL_FN void limits_of_a_machine_must_be_consistent(long long smaller,
                                                                      long long larger) {
  detail::fail(__func__,
               "inconsistent limits: % must not exceed %. Use limits that are not negative, "
               "with shared_per_block <= shared_per_block_opt_in, shared_per_block_opt_in + "
               "shared_reserved <= shared_per_multiprocessor, threads_per_block <= "
               "threads_per_multiprocessor <= warps * lanes, sector_bytes <= line_bytes",
               smaller, larger);
}
}  // namespace rule

namespace detail {

// The lanes of the set for which lane & parity has an odd number of 1-bits.
BANKMODEL_FN std::uint64_t odd_among(std::uint64_t lanes, int parity) {
  return lanes & lane_groups{static_cast<unsigned char>(parity), 0, 0}.lanes_of(1);
}

}  // namespace detail

// Returns phases of `phase_lanes` neighbouring lanes each, in a warp of `lanes` lanes.
// Requires: both are powers of two, lanes <= 64, and there are 1 to 8 phases.
// Error: a requirement is not met.
// Example: the quarters of a warp of 32:
//
//   static_assert(consecutive_lanes(8, 32) == lane_groups{8, 16});
BANKMODEL_FN lane_groups consecutive_lanes(int phase_lanes, int lanes) {
  const bool powers = lanes >= 1 && lanes <= max_lanes && detail::is_power_of_two(lanes) &&
                      phase_lanes >= 1 && detail::is_power_of_two(phase_lanes);
  if (!powers || phase_lanes > lanes || lanes / phase_lanes > 8)
    rule::consecutive_lanes_must_be_powers_of_two(phase_lanes, lanes);
  lane_groups result;
  unsigned char* const parity[] = {&result.parity_0, &result.parity_1, &result.parity_2};
  for (int bit = 0; phase_lanes << bit < lanes; ++bit)
    *parity[bit] = static_cast<unsigned char>(phase_lanes << bit);
  return result;
}

// Returns the partition that consists of these sets of lanes, bit masks with lane 0 in bit 0.
// Lane 0 is in the first set. If the machine merges pairs of phases, the first two sets are
// such a pair, and the other pairs follow from them.
// Error: not 1, 2, 4 or 8 phases; the number of lanes is not a power of two up to 64; a lane is
// in no phase or in two; a phase is empty; the phases are not cosets, which means: the first
// phase with the number of each lane XORed by one number.
// Example: the phases of gfx1100's 16-byte loads:
//
//   static_assert(phases_of_lanes({0x00f0000f, 0x000f00f0, 0xf0000f00, 0x0f00f000}, 32) ==
//                 lane_groups{20, 8});
template <int Phases>
BANKMODEL_FN lane_groups phases_of_lanes(const std::uint64_t (&phases)[Phases], int lanes) {
  if (Phases > 8 || !detail::is_power_of_two(Phases) || lanes < Phases || lanes > max_lanes ||
      !detail::is_power_of_two(lanes))
    rule::phases_must_be_1_2_4_or_8_of_a_power_of_two_of_lanes(Phases, lanes);
  for (int lane = 0; lane < max_lanes; ++lane) {
    int times = 0;
    for (const std::uint64_t phase : phases) times += static_cast<int>(phase >> lane & 1);
    if (times != (lane < lanes ? 1 : 0)) rule::phases_must_partition_the_lanes(lane, times);
  }

  for (int phase = 0; phase < Phases; ++phase)
    if (phases[phase] == 0) rule::phases_must_leave_no_phase_empty(phase, lanes);
  if (phases[0] % 2 == 0) rule::phases_must_be_cosets(0, detail::trailing_zeros(phases[0]));

  // The first parity distinguishes the first two phases, the others do not; all of them are
  // even on the first.
  lane_groups result;
  if constexpr (Phases > 1) {
    unsigned char* const parities[] = {&result.parity_1, &result.parity_2, nullptr};
    int count = 0;
    for (int parity = 1; parity < lanes; ++parity) {
      if (detail::odd_among(phases[0], parity) != 0) continue;
      const std::uint64_t odd = detail::odd_among(phases[1], parity);
      if (odd == 0 && 2 << count < Phases)
        *parities[count++] = static_cast<unsigned char>(parity);
      else if (odd == phases[1] && result.parity_0 == 0)
        result.parity_0 = static_cast<unsigned char>(parity);
    }
    if (result.bits() == 0 || 1 << result.bits() != Phases)
      rule::phases_must_be_cosets(1, detail::trailing_zeros(phases[1]));
  }
  for (int phase = 0; phase < Phases; ++phase) {
    bool is_coset = false;
    for (int number = 0; number < Phases; ++number)
      is_coset = is_coset || (result.lanes_of(number) & ~std::uint64_t{0} >> (max_lanes - lanes)) ==
                                 phases[phase];
    if (!is_coset) rule::phases_must_be_cosets(phase, detail::trailing_zeros(phases[phase]));
  }
  return result;
}

namespace detail {

BANKMODEL_FN void require_at_most(long long smaller, long long larger) {
  if (smaller > larger) rule::limits_of_a_machine_must_be_consistent(smaller, larger);
}

BANKMODEL_FN void require_consistent(const machine& m, const service& rules, int bytes) {
  if (rules.bank_num == 0) return;
  geometry{rules.bank_num, rules.W, rules.N, rules.W}.require_valid();
  const int other = m.other_bank_width;
  if (rules.N != m.bank_width || other == m.bank_width ||
      (other != 0 && (!is_power_of_two(other) || other > rules.W)))
    rule::words_must_be_as_wide_as_the_machines_banks(rules.N, m.bank_width);
  const lane_groups& phases = rules.phases;
  if ((phases.parity_0 == 0 && (phases.parity_1 | phases.parity_2) != 0) ||
      (phases.parity_1 == 0 && phases.parity_2 != 0))
    rule::phases_must_leave_no_phase_empty(1, m.lanes);
  for (int phase = 0; phase < 1 << rules.phases.bits(); ++phase)
    if ((rules.phases.lanes_of(phase) & ~std::uint64_t{0} >> (max_lanes - m.lanes)) == 0)
      rule::phases_must_leave_no_phase_empty(phase, m.lanes);
  rules.require_pieces(bytes);
}

}  // namespace detail

// Returns the machine if its record is consistent. Limits that are all 0 are unknown and not
// checked.
// Error: the rule that the record violates: lanes, banks, a phase without lanes, words of
// another width than the machine's banks, pieces, limits that contradict each other.
// Example:
//
//   constexpr machine mine = validated({.lanes = 32,
//                                       .loads = {.up_to_4 = {.bank_num = 32, .W = 4, .N = 4}},
//                                       .stores = {.up_to_4 = {.bank_num = 32, .W = 4, .N = 4}},
//                                       .bank_width = 4});
//   static_assert(mine.has(4, access_kind::load) && !mine.has(8, access_kind::load));
BANKMODEL_FN machine validated(const machine& m) {
  m.require_valid();
  const services* const kinds[] = {&m.loads, &m.stores};
  for (const services* const widths : kinds) {
    detail::require_consistent(m, widths->up_to_4, 4);
    detail::require_consistent(m, widths->bytes_8, 8);
    detail::require_consistent(m, widths->bytes_12, 12);
    detail::require_consistent(m, widths->bytes_16, 16);
  }
  const special_services& special = m.special;
  detail::require_consistent(m, special.atomics_4, 4);
  detail::require_consistent(m, special.atomics_8, 8);
  detail::require_consistent(m, special.matrix_loads, 16);
  detail::require_consistent(m, special.matrix_stores, 16);
  detail::require_consistent(m, special.paired_loads_4, 4);
  detail::require_consistent(m, special.paired_loads_8, 8);
  detail::require_consistent(m, special.transposed_loads, 8);

  const residency& limits = m.limits;
  detail::require_at_most(0, limits.shared_per_block);
  detail::require_at_most(0, limits.shared_reserved);
  detail::require_at_most(0, limits.threads_per_block);
  detail::require_at_most(limits.shared_per_block, limits.shared_per_block_opt_in);
  detail::require_at_most(
      static_cast<long long>(limits.shared_per_block_opt_in) + limits.shared_reserved,
      limits.shared_per_multiprocessor);
  detail::require_at_most(limits.threads_per_block, limits.threads_per_multiprocessor);
  detail::require_at_most(limits.threads_per_multiprocessor,
                          static_cast<long long>(limits.warps_per_multiprocessor) * m.lanes);
  detail::require_at_most(m.global.sector_bytes, m.global.line_bytes);
  return m;
}

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
