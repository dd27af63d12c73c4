// SPDX-License-Identifier: MIT
#include <bankmodel/machines/compare.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using bm::access_kind;

constexpr bm::machine machines[] = {  // the others
    bm::nvidia::sm_30,  bm::nvidia::sm_32,  bm::nvidia::sm_35,  bm::nvidia::sm_37,
    bm::nvidia::sm_50,  bm::nvidia::sm_52,  bm::nvidia::sm_53,  bm::nvidia::sm_60,
    bm::nvidia::sm_61,  bm::nvidia::sm_62,  bm::nvidia::sm_70,  bm::nvidia::sm_72,
    bm::nvidia::sm_75,  bm::nvidia::sm_80,  bm::nvidia::sm_86,  bm::nvidia::sm_87,
    bm::nvidia::sm_89,  bm::nvidia::sm_90,  bm::nvidia::sm_100, bm::nvidia::sm_103,
    bm::nvidia::sm_110, bm::nvidia::sm_120, bm::nvidia::sm_121};

// Each record is found by its own capability, and contains that number; each number occurs
// once.
constexpr bool each_is_found() {
  for (const bm::machine& m : machines) {
    if (bm::nvidia::compute_capability(m.model / 10, m.model % 10) != m) return false;
    int same = 0;
    for (const bm::machine& other : machines) same += other.model == m.model;
    if (same != 1) return false;
  }
  return true;
}
static_assert(each_is_found());
static_assert(bm::nvidia::compute_capability(9, 0) == bm::nvidia::sm_90);
static_assert(bm::nvidia::compute_capability(12, 1).model == 121);

// Requirements on every record: valid banks, phases that divide 32 lanes into equal parts whose
// words fill the banks once.
constexpr int lanes_in(std::uint64_t set) {
  int count = 0;
  for (int lane = 0; lane < 32; ++lane) count += static_cast<int>(set >> lane & 1);
  return count;
}
constexpr bool well_formed(const bm::machine& m) {
  if (m.made_by != bm::vendor::nvidia || m.lanes != 32) return false;
  constexpr access_kind ways[] = {access_kind::load, access_kind::store};
  constexpr int widths[] = {1, 2, 4, 8, 16};
  for (const access_kind kind : ways) {
    for (const int bytes : widths) {
      const bm::service rules = m.served(bytes, kind);
      m.banks(bytes, kind).require_valid();
      if (rules.bank_num != 32 || rules.N != m.bank_width) return false;
      const int phases = 1 << rules.phases.bits();
      for (int phase = 0; phase < phases; ++phase)
        if (lanes_in(rules.phases.lanes_of(phase)) != 32 / phases) return false;
      const int widest = bytes < 4 ? 4 : bytes;
      // a phase fits one pass at best
      if (32 / phases * widest > rules.bank_num * rules.W) return false;
    }
    // NVIDIA has none
    if ((kind == access_kind::load ? m.loads : m.stores).bytes_12.bank_num != 0) return false;
  }
  const bm::residency& limits = m.limits;
  return limits.threads_per_block == 1024 && limits.shared_per_block == 49152 &&
         limits.shared_per_block_opt_in >= 49152 &&
         limits.shared_per_block_opt_in + limits.shared_reserved <=
             limits.shared_per_multiprocessor &&
         limits.shared_granularity > 0 &&
         limits.threads_per_multiprocessor == 32 * limits.warps_per_multiprocessor &&
         limits.blocks_per_multiprocessor > 0 &&
         limits.threads_per_multiprocessor >= limits.threads_per_block;
}
constexpr bool all_well_formed() {
  for (const bm::machine& m : machines) {
    if (!well_formed(m)) return false;
    if (m.other_bank_width != 0 && !well_formed(m.with_bank_width(m.other_bank_width)))
      return false;
  }
  return true;
}
static_assert(all_well_formed());

// Only Kepler has a choice of bank widths, layers of 256 bytes in both, and 8 bytes per lane in
// one phase. [G4] [S3]
constexpr bool kepler_and_the_others() {
  for (const bm::machine& m : machines) {
    const bool kepler = m.model < 50;
    if (m.bank_width != 4 || m.other_bank_width != (kepler ? 8 : 0)) return false;
    if (m.loads.up_to_4.W != (kepler ? 8 : 4)) return false;
    if (m.loads.bytes_8.phases != (kepler ? bm::lane_groups{} : bm::lane_groups{16})) return false;
    if (m.loads.bytes_16.phases != (kepler ? bm::lane_groups{16} : bm::lane_groups{8, 16}))
      return false;
    if (m.merges_loads != (kepler ? bm::merging::none : bm::merging::pairs) ||
        m.merges_stores != bm::merging::none)
      return false;
    if (m.limits.shared_reserved != (m.model < 80 ? 0 : 1024) ||
        m.limits.shared_granularity != (m.model < 80 ? 256 : 128))
      return false;
  }
  return true;
}
static_assert(kepler_and_the_others());
static_assert(bm::nvidia::sm_35.with_bank_width(8).loads.up_to_4.N == 8 &&
              bm::nvidia::sm_35.with_bank_width(8).loads.up_to_4.W == 8);

// Shared memory in KiB: of a multiprocessor, and of one block that opts in; threads and blocks
// of a multiprocessor. CUDA C++ Programming Guide 13.0, table 27, and the archived guides for
// machines that it no longer lists.
constexpr bool has(const bm::machine& m, int multiprocessor, int block, int threads, int blocks) {
  return m.limits.shared_per_multiprocessor == 1024 * multiprocessor &&
         m.limits.shared_per_block_opt_in == 1024 * block &&
         m.limits.threads_per_multiprocessor == threads &&
         m.limits.blocks_per_multiprocessor == blocks;
}
static_assert(has(bm::nvidia::sm_30, 48, 48, 2048, 16) && has(bm::nvidia::sm_35, 48, 48, 2048, 16));
static_assert(has(bm::nvidia::sm_37, 112, 48, 2048, 16));
static_assert(has(bm::nvidia::sm_50, 64, 48, 2048, 32) && has(bm::nvidia::sm_52, 96, 48, 2048, 32));
static_assert(has(bm::nvidia::sm_60, 64, 48, 2048, 32) && has(bm::nvidia::sm_61, 96, 48, 2048, 32));
static_assert(has(bm::nvidia::sm_70, 96, 96, 2048, 32) && has(bm::nvidia::sm_75, 64, 64, 1024, 16));
static_assert(has(bm::nvidia::sm_80, 164, 163, 2048, 32) &&
              has(bm::nvidia::sm_86, 100, 99, 1536, 16));
static_assert(has(bm::nvidia::sm_87, 164, 163, 1536, 16) &&
              has(bm::nvidia::sm_89, 100, 99, 1536, 24));
static_assert(has(bm::nvidia::sm_90, 228, 227, 2048, 32) &&
              has(bm::nvidia::sm_100, 228, 227, 2048, 32));
static_assert(has(bm::nvidia::sm_103, 228, 227, 2048, 32) &&
              has(bm::nvidia::sm_110, 228, 227, 1536, 24));
static_assert(has(bm::nvidia::sm_120, 100, 99, 1536, 24) &&
              has(bm::nvidia::sm_121, 100, 99, 1536, 24));

// Registers: of a multiprocessor, of a block (both in units of 1024), of a thread, and in how
// many sub-partitions.
constexpr bool has_registers(const bm::machine& m, int multiprocessor, int block, int thread,
                             int parts) {
  return m.limits.registers_per_multiprocessor == 1024 * multiprocessor &&
         m.limits.registers_per_block == 1024 * block && m.limits.registers_per_thread == thread &&
         m.limits.sub_partitions == parts && m.limits.register_granularity == 256 &&
         m.limits.register_check_warps == 4;
}
constexpr bool all_have_registers() {
  for (const bm::machine& m : machines) {
    const bool embedded = m.model == 32 || m.model == 53 || m.model == 62;
    if (!has_registers(m, m.model == 37 ? 128 : 64, embedded ? 32 : 64, m.model == 30 ? 63 : 255,
                       m.model == 60 ? 2 : 4))
      return false;
  }
  return true;
}
static_assert(all_have_registers());
