// SPDX-License-Identifier: MIT
// Properties of each vendor's records: they are consistent, their phases partition the lanes,
// and each number has a source.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/citations.hpp>
#include <bankmodel/machines/compare.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/machines/validated.hpp>

namespace bm = bankmodel;

constexpr bool is_listed(bm::source key) {
  return key != bm::sources::own && bm::sources::citation_for(key).key == key;
}

constexpr bool is_right(const bm::machine& m, const bm::service& rules) {
  // no such instruction, so no other field is set
  if (rules.bank_num == 0) return rules == bm::service{};
  std::uint64_t seen = 0;
  const std::uint64_t of_machine = ~std::uint64_t{0} >> (64 - m.lanes);
  for (int phase = 0; phase < 1 << rules.phases.bits(); ++phase) {
    const std::uint64_t lanes = rules.phases.lanes_of(phase) & of_machine;
    if (lanes == 0 || (lanes & seen) != 0) return false;
    seen |= lanes;
  }
  return seen == of_machine && is_listed(rules.banks_from) && is_listed(rules.phases_from);
}

constexpr bool is_right(const bm::machine& m) {
  if (bm::validated(m) != m) return false;
  const bm::special_services& s = m.special;
  const bm::service* const services[] = {
      &m.loads.up_to_4,  &m.loads.bytes_8,  &m.loads.bytes_12,  &m.loads.bytes_16,
      &m.stores.up_to_4, &m.stores.bytes_8, &m.stores.bytes_12, &m.stores.bytes_16,
      &s.atomics_4,      &s.atomics_8,      &s.matrix_loads,    &s.matrix_stores,
      &s.paired_loads_4, &s.paired_loads_8, &s.transposed_loads};
  for (const bm::service* rules : services)
    if (!is_right(m, *rules)) return false;
  const bm::residency& limits = m.limits;
  return m.loads.up_to_4.bank_num != 0 && m.stores.up_to_4.bank_num != 0 &&
         is_listed(m.merges_from) && is_listed(limits.shared_from) &&
         is_listed(limits.granularity_from) && is_listed(limits.residents_from) &&
         (limits.registers_per_block == 0 ? limits.registers_from == bm::sources::own
                                          : is_listed(limits.registers_from)) &&
         is_listed(m.global.from) && m.global.sector_bytes > 0 &&
         m.global.line_bytes % m.global.sector_bytes == 0 && limits.shared_granularity > 0 &&
         limits.threads_per_block > 0 && limits.blocks_per_multiprocessor > 0;
}

constexpr int capabilities[] = {10, 11, 12, 13, 20, 21, 30, 32, 35, 37,  50,  52,  53,  60, 61,
                                62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121};
constexpr bool nvidia_is_right(int begin, int end) {
  for (int index = begin; index < end; ++index) {
    const bm::machine m =
        bm::nvidia::compute_capability(capabilities[index] / 10, capabilities[index] % 10);
    if (m.model != capabilities[index] || !is_right(m)) return false;
    if (m.other_bank_width != 0 && !is_right(m.with_bank_width(m.other_bank_width))) return false;
  }
  return true;
}
static_assert(nvidia_is_right(0, 15) && nvidia_is_right(15, 29));

constexpr const char* names[] = {
    "gfx600",  "gfx601",  "gfx602",  "gfx700",  "gfx701",  "gfx702",  "gfx704",  "gfx801",
    "gfx802",  "gfx803",  "gfx805",  "gfx900",  "gfx902",  "gfx904",  "gfx906",  "gfx908",
    "gfx909",  "gfx90a",  "gfx90c",  "gfx940",  "gfx941",  "gfx942",  "gfx950",  "gfx1010",
    "gfx1011", "gfx1012", "gfx1013", "gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034",
    "gfx1035", "gfx1036", "gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151",
    "gfx1152", "gfx1153", "gfx1200", "gfx1201", "gfx1250"};
constexpr bool amd_is_right(int begin, int end) {
  for (int index = begin; index < end; ++index)
    if (!is_right(bm::amd::gfx(names[index]))) return false;
  return true;
}
static_assert(amd_is_right(0, 15) && amd_is_right(15, 30) && amd_is_right(30, 45));
static_assert(is_right(bm::amd::gfx950_with_64_banks_for_4_bytes) &&
              is_right(bm::amd::in_wave64(bm::amd::gfx1100)));

// 1.x, 2.x: capacities of the guide's table F-2 and of the calculator.
constexpr bool has(const bm::machine& m, int shared, int granularity, int threads_of_a_block,
                   int threads, int blocks, int warp_granularity) {
  const bm::residency& limits = m.limits;
  return limits.shared_per_multiprocessor == shared && limits.shared_per_block == shared &&
         limits.shared_granularity == granularity &&
         limits.threads_per_block == threads_of_a_block &&
         limits.threads_per_multiprocessor == threads &&
         limits.blocks_per_multiprocessor == blocks &&
         limits.warps_per_multiprocessor == threads / 32 &&
         limits.warp_granularity == warp_granularity;
}
static_assert(has(bm::nvidia::sm_10, 16384, 512, 512, 768, 8, 2) &&
              has(bm::nvidia::sm_11, 16384, 512, 512, 768, 8, 2));
static_assert(has(bm::nvidia::sm_12, 16384, 512, 512, 1024, 8, 2) &&
              has(bm::nvidia::sm_13, 16384, 512, 512, 1024, 8, 2));
static_assert(has(bm::nvidia::sm_20, 49152, 128, 1024, 1536, 8, 1) &&
              has(bm::nvidia::sm_21, 49152, 128, 1024, 1536, 8, 1));

// Which machines have which instructions: shared atomics since 1.2 and of 64 bits since 2.0,
// ldmatrix since 7.5, stmatrix since 9.0, ds_read2 on AMD, ds_read_tr on gfx950.
constexpr bool have_their_instructions() {
  for (const int capability : capabilities) {
    const bm::special_services s =
        bm::nvidia::compute_capability(capability / 10, capability % 10).special;
    if ((s.atomics_4.bank_num != 0) != (capability >= 12) ||
        (s.atomics_8.bank_num != 0) != (capability >= 20))
      return false;
    if ((s.matrix_loads.bank_num != 0) != (capability >= 75) ||
        (s.matrix_stores.bank_num != 0) != (capability >= 90))
      return false;
    if (s.paired_loads_4.bank_num != 0 || s.paired_loads_8.bank_num != 0 ||
        s.transposed_loads.bank_num != 0)
      return false;
  }
  return true;
}
static_assert(have_their_instructions());
static_assert(bm::nvidia::sm_20.loads.bytes_16.phases_overlap &&
              bm::nvidia::sm_13.loads.bytes_16.piece_bytes == 4);

// Phases from lists of lanes, as a user would write them.
constexpr std::uint64_t crossed[] = {0x00f0000f, 0x000f00f0, 0xf0000f00, 0x0f00f000};
static_assert(bm::phases_of_lanes(crossed, 32) == bm::amd::gfx1100.loads.bytes_16.phases);
constexpr std::uint64_t in_another_order[] = {0x00f0000f, 0xf0000f00, 0x000f00f0, 0x0f00f000};
// then 0-3, 20-23 and 8-11, 28-31 are a pair
static_assert(bm::phases_of_lanes(in_another_order, 32).merged() == bm::lane_groups{20});
static_assert(bm::phases_of_lanes({~std::uint64_t{0}}, 64) == bm::lane_groups{});
static_assert(bm::phases_of_lanes({0x00ff00ff00ff00ff, 0xff00ff00ff00ff00}, 64) ==
              bm::lane_groups{8});
static_assert(bm::consecutive_lanes(8, 64) == bm::lane_groups{8, 16, 32} &&
              bm::consecutive_lanes(64, 64) == bm::lane_groups{});

// A machine made on the spot, in a constant expression too.
constexpr auto line = bm::shared_array<float>("line", 64);
static_assert(bm::total(bm::nvidia::sm_35.with_bank_width(8), bm::block_dim{32},
                        line[bm::index::tx])
                  .wavefronts == 1);
static_assert(bm::total(bm::nvidia::compute_capability(9, 0), bm::block_dim{32},
                        bm::atomic(line[bm::index::tx]))
                  .wavefronts == 1);
static_assert(
    bm::total(bm::amd::gfx("gfx942"), bm::block_dim{64}, line[bm::index::tx]).wavefronts == 2);
static_assert(bm::wavefronts(bm::amd::in_wave64(bm::amd::gfx1100),
                             bm::request{.address = {}, .active = ~std::uint64_t{0}}) == 2);
static_assert(bm::amd::gfx("gfx942").served(16, bm::access_kind::load).bank_num == 32);
static_assert(bm::nvidia::sm_90.has(16, bm::access_kind::load_matrix) &&
              !bm::nvidia::sm_90.has(12, bm::access_kind::load) &&
              !bm::nvidia::sm_90.has(3, bm::access_kind::load));
