// SPDX-License-Identifier: MIT
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/citations.hpp>
#include <bankmodel/machines/compare.hpp>
#include <bankmodel/machines/validated.hpp>

namespace bm = bankmodel;
namespace amd = bankmodel::amd;
using bm::access_kind;
using bm::confidence;
using bm::lane_groups;

struct named {
  const char* name;
  bm::machine machine;
};
constexpr named machines[] = {
    {"gfx600", amd::gfx600},   {"gfx601", amd::gfx601},   {"gfx602", amd::gfx602},
    {"gfx700", amd::gfx700},   {"gfx701", amd::gfx701},   {"gfx702", amd::gfx702},
    {"gfx704", amd::gfx704},   {"gfx801", amd::gfx801},   {"gfx802", amd::gfx802},
    {"gfx803", amd::gfx803},   {"gfx805", amd::gfx805},   {"gfx900", amd::gfx900},
    {"gfx902", amd::gfx902},   {"gfx904", amd::gfx904},   {"gfx906", amd::gfx906},
    {"gfx908", amd::gfx908},   {"gfx909", amd::gfx909},   {"gfx90a", amd::gfx90a},
    {"gfx90c", amd::gfx90c},   {"gfx940", amd::gfx940},   {"gfx941", amd::gfx941},
    {"gfx942", amd::gfx942},   {"gfx950", amd::gfx950},   {"gfx1010", amd::gfx1010},
    {"gfx1011", amd::gfx1011}, {"gfx1012", amd::gfx1012}, {"gfx1013", amd::gfx1013},
    {"gfx1030", amd::gfx1030}, {"gfx1031", amd::gfx1031}, {"gfx1032", amd::gfx1032},
    {"gfx1033", amd::gfx1033}, {"gfx1034", amd::gfx1034}, {"gfx1035", amd::gfx1035},
    {"gfx1036", amd::gfx1036}, {"gfx1100", amd::gfx1100}, {"gfx1101", amd::gfx1101},
    {"gfx1102", amd::gfx1102}, {"gfx1103", amd::gfx1103}, {"gfx1150", amd::gfx1150},
    {"gfx1151", amd::gfx1151}, {"gfx1152", amd::gfx1152}, {"gfx1153", amd::gfx1153},
    {"gfx1200", amd::gfx1200}, {"gfx1201", amd::gfx1201}, {"gfx1250", amd::gfx1250}};

// Each record is found by its own name, which is .model in hexadecimal.
constexpr bool is_named(const bm::machine& m, const char* name) {
  int number = 0;
  for (int digit = 3; name[digit] != '\0'; ++digit)
    number = 16 * number + (name[digit] >= 'a' ? name[digit] - 'a' + 10 : name[digit] - '0');
  return m.model == number;
}
constexpr bool each_is_found() {
  for (const named& entry : machines) {
    if (amd::gfx(entry.name) != entry.machine || !is_named(entry.machine, entry.name)) return false;
    int same = 0;
    for (const named& other : machines) same += other.machine.model == entry.machine.model;
    if (same != 1) return false;
  }
  return true;
}
static_assert(each_is_found());
static_assert(amd::gfx("gfx90a:sramecc+:xnack-") == amd::gfx90a &&
              amd::gfx("gfx942:") == amd::gfx942 && amd::gfx90a.model == 0x90a);

// The lane groups as the hardware facts list them (5.2), lane 0 in bit 0.
constexpr std::uint64_t lanes(int first, int last) {
  std::uint64_t set = 0;
  for (int lane = first; lane <= last; ++lane) set |= std::uint64_t{1} << lane;
  return set;
}
constexpr bool is_one_of(std::uint64_t phase, const std::uint64_t* sets, int count) {
  for (int index = 0; index < count; ++index)
    if (sets[index] == phase) return true;
  return false;
}
// True if the phases of this many lanes are these sets, in any order.
template <int Phases>
constexpr bool are(lane_groups groups, int of_lanes, const std::uint64_t (&sets)[Phases]) {
  if (1 << groups.bits() != Phases) return false;
  for (int phase = 0; phase < Phases; ++phase)
    if (!is_one_of(groups.lanes_of(phase) & ~std::uint64_t{0} >> (64 - of_lanes), sets, Phases))
      return false;
  return true;
}
constexpr std::uint64_t W32[] = {lanes(0, 31)}, W64[] = {lanes(0, 63)};
constexpr std::uint64_t H64[] = {lanes(0, 31), lanes(32, 63)},
                        H32[] = {lanes(0, 15), lanes(16, 31)};
constexpr std::uint64_t Q64[] = {lanes(0, 15), lanes(16, 31), lanes(32, 47), lanes(48, 63)};
constexpr std::uint64_t Q32[] = {lanes(0, 7), lanes(8, 15), lanes(16, 23), lanes(24, 31)};
constexpr std::uint64_t E64[] = {lanes(0, 7),   lanes(8, 15),  lanes(16, 23), lanes(24, 31),
                                 lanes(32, 39), lanes(40, 47), lanes(48, 55), lanes(56, 63)};
constexpr std::uint64_t X32[] = {lanes(0, 3) | lanes(20, 23), lanes(4, 7) | lanes(16, 19),
                                 lanes(8, 11) | lanes(28, 31), lanes(12, 15) | lanes(24, 27)};
constexpr std::uint64_t X64[] = {lanes(0, 3) | lanes(20, 23),   lanes(32, 35) | lanes(52, 55),
                                 lanes(4, 7) | lanes(16, 19),   lanes(36, 39) | lanes(48, 51),
                                 lanes(8, 11) | lanes(28, 31),  lanes(40, 43) | lanes(60, 63),
                                 lanes(12, 15) | lanes(24, 27), lanes(44, 47) | lanes(56, 59)};
constexpr std::uint64_t Y64[] = {
    lanes(0, 3) | lanes(12, 15) | lanes(20, 27), lanes(32, 35) | lanes(44, 47) | lanes(52, 59),
    lanes(4, 11) | lanes(16, 19) | lanes(28, 31), lanes(36, 43) | lanes(48, 51) | lanes(60, 63)};

template <int Phases>
constexpr bool is(const bm::service& rules, int banks, int of_lanes,
                  const std::uint64_t (&sets)[Phases]) {
  return rules.bank_num == banks && rules.W == 4 && rules.N == 4 &&
         are(rules.phases, of_lanes, sets);
}

// GCN and CDNA 1 to 3. gfx6 has no accesses of 12 and 16 bytes.
constexpr bool as_gfx942(const bm::machine& m) {
  const bool wide = m.model >= 0x700;
  return is(m.loads.up_to_4, 32, 64, H64) && is(m.loads.bytes_8, 32, 64, Q64) &&
         is(m.stores.up_to_4, 32, 64, H64) && is(m.stores.bytes_8, 32, 64, Q64) &&
         (wide ? is(m.loads.bytes_12, 32, 64, X64) && is(m.loads.bytes_16, 32, 64, X64) &&
                     is(m.stores.bytes_12, 32, 64, E64) && is(m.stores.bytes_16, 32, 64, E64)
               : m.loads.bytes_12 == bm::service{} && m.loads.bytes_16 == bm::service{} &&
                     m.stores.bytes_12 == bm::service{} && m.stores.bytes_16 == bm::service{}) &&
         is(m.special.atomics_4, 32, 64, H64) && is(m.special.atomics_8, 32, 64, Q64) &&
         is(m.special.paired_loads_4, 32, 64, H64) && is(m.special.paired_loads_8, 32, 64, Q64) &&
         m.special.transposed_loads.bank_num == 0;
}
constexpr bool as_gfx950(const bm::machine& m) {
  return is(m.loads.bytes_8, 64, 64, H64) && is(m.loads.bytes_12, 32, 64, X64) &&
         is(m.loads.bytes_16, 64, 64, Y64) && is(m.stores.up_to_4, 32, 64, H64) &&
         is(m.stores.bytes_8, 32, 64, Q64) && is(m.stores.bytes_12, 32, 64, E64) &&
         is(m.stores.bytes_16, 32, 64, E64) && is(m.special.atomics_4, 32, 64, H64) &&
         is(m.special.atomics_8, 32, 64, Q64) && is(m.special.paired_loads_8, 32, 64, Q64) &&
         is(m.special.transposed_loads, 64, 64, H64);
}
static_assert(as_gfx950(amd::gfx950) && is(amd::gfx950.loads.up_to_4, 32, 64, H64) &&
              is(amd::gfx950.special.paired_loads_4, 32, 64, H64));
static_assert(as_gfx950(amd::gfx950_with_64_banks_for_4_bytes) &&
              is(amd::gfx950_with_64_banks_for_4_bytes.loads.up_to_4, 64, 64, W64) &&
              is(amd::gfx950_with_64_banks_for_4_bytes.special.paired_loads_4, 64, 64, W64));

// RDNA and gfx1250: until gfx11 loads of 12 and 16 bytes have crossed phases.
template <int Phases>
constexpr bool as_rdna(const bm::machine& m, int banks, const std::uint64_t (&wide)[Phases]) {
  return is(m.loads.up_to_4, banks, 32, W32) && is(m.loads.bytes_8, banks, 32, H32) &&
         is(m.loads.bytes_12, banks, 32, wide) && is(m.loads.bytes_16, banks, 32, wide) &&
         is(m.stores.up_to_4, banks, 32, W32) && is(m.stores.bytes_8, banks, 32, H32) &&
         is(m.stores.bytes_12, banks, 32, Q32) && is(m.stores.bytes_16, banks, 32, Q32) &&
         is(m.special.atomics_4, banks, 32, W32) && is(m.special.atomics_8, banks, 32, H32) &&
         is(m.special.paired_loads_4, banks, 32, W32) &&
         is(m.special.paired_loads_8, banks, 32, H32) && m.special.transposed_loads.bank_num == 0;
}
constexpr bool each_as_listed() {
  for (const named& entry : machines) {
    const bm::machine& m = entry.machine;
    if (m.model < 0x950 && !as_gfx942(m)) return false;
    if (m.model >= 0x1010 && m.model < 0x1200 && !as_rdna(m, 32, X32)) return false;
    if (m.model >= 0x1200 && !as_rdna(m, m.model == 0x1250 ? 64 : 32, Q32)) return false;
    if (m.made_by != bm::vendor::amd || m.lanes != (m.model < 0x1000 ? 64 : 32)) return false;
  }
  return true;
}
static_assert(each_as_listed());

// Well formed, with a source for every number, and none of high confidence that is inferred.
constexpr bool is_sourced(const bm::service& rules) {
  if (rules.bank_num == 0) return rules == bm::service{};
  return rules.banks_from != bm::sources::own && rules.phases_from != bm::sources::own &&
         (rules.phases_from != bm::sources::inferred || rules.sure == confidence::low) &&
         rules.banks_from != bm::sources::inferred &&
         bm::sources::citation_for(rules.banks_from).key == rules.banks_from &&
         bm::sources::citation_for(rules.phases_from).key == rules.phases_from &&
         rules.piece_bytes == 0 && !rules.phases_overlap;
}
constexpr bool has_everything(const bm::machine& m) {
  const bm::services* const directions[] = {&m.loads, &m.stores};
  for (const bm::services* const kind : directions)
    if (!is_sourced(kind->up_to_4) || !is_sourced(kind->bytes_8) || !is_sourced(kind->bytes_12) ||
        !is_sourced(kind->bytes_16) || !kind->up_to_4.is_plain() || kind->up_to_4.bank_num == 0 ||
        kind->bytes_8.bank_num == 0)
      return false;
  const bm::special_services& s = m.special;
  if (!is_sourced(s.atomics_4) || !is_sourced(s.atomics_8) || !is_sourced(s.paired_loads_4) ||
      !is_sourced(s.paired_loads_8) || !is_sourced(s.transposed_loads) ||
      s.atomics_4.serves != bm::serving::by_lane || s.atomics_8.serves != bm::serving::by_lane ||
      !s.paired_loads_4.is_plain() || !s.paired_loads_8.is_plain() ||
      s.matrix_loads.bank_num != 0 || s.matrix_stores.bank_num != 0)
    return false;
  const bm::residency& l = m.limits;
  if (l.shared_from == bm::sources::own || l.granularity_from == bm::sources::own ||
      l.residents_from == bm::sources::own || l.shared_reserved != 0 ||
      l.threads_per_block != 1024 ||
      l.threads_per_multiprocessor != m.lanes * l.warps_per_multiprocessor ||
      l.shared_per_block != l.shared_per_block_opt_in ||
      l.shared_per_multiprocessor % l.shared_granularity != 0 || l.warp_granularity != 1 ||
      l.registers_per_multiprocessor != 0 || l.registers_from != bm::sources::own)
    return false;
  return m.bank_width == 4 && m.other_bank_width == 0 && m.global.from != bm::sources::own &&
         m.global.line_bytes >= m.global.sector_bytes && m.merges_loads == bm::merging::none &&
         m.merges_stores == bm::merging::none && m.merges_from == bm::sources::inferred &&
         m.merges_sure == confidence::low && bm::validated(m) == m;
}
constexpr bool all_have_everything() {
  for (const named& entry : machines)
    if (!has_everything(entry.machine)) return false;
  return has_everything(amd::gfx950_with_64_banks_for_4_bytes);
}
static_assert(all_have_everything());

// Facts measured on this machine, and facts that were not.
static_assert(amd::gfx942.loads.bytes_16.sure == confidence::high &&
              amd::gfx940.loads.bytes_16.sure == confidence::medium);
static_assert(amd::gfx90a.loads.up_to_4.sure == confidence::high &&
              amd::gfx90a.loads.bytes_16.sure == confidence::low);
static_assert(amd::gfx950.loads.bytes_16.sure == confidence::high &&
              amd::gfx950.loads.up_to_4.sure == confidence::low);
static_assert(amd::gfx1100.loads.bytes_16.sure == confidence::high &&
              amd::gfx1151.loads.bytes_16.sure == confidence::medium);
static_assert(amd::gfx1030.loads.bytes_16.sure == confidence::low &&
              amd::gfx1030.loads.up_to_4.sure == confidence::medium);
static_assert(amd::gfx1201.loads.bytes_16.sure == confidence::high &&
              amd::gfx1250.loads.up_to_4.sure == confidence::low);
static_assert(amd::gfx702.loads.up_to_4.sure == confidence::low &&
              amd::gfx701.loads.up_to_4.sure == confidence::high);

// Shared memory in KiB of a multiprocessor and of a block, its granularity in bytes, warps;
// sector and line.
constexpr bool has(const bm::machine& m, int multiprocessor, int block, int granularity, int warps,
                   int sector, int line) {
  return m.limits.shared_per_multiprocessor == 1024 * multiprocessor &&
         m.limits.shared_per_block == 1024 * block && m.limits.shared_granularity == granularity &&
         m.limits.warps_per_multiprocessor == warps && m.limits.blocks_per_multiprocessor == 16 &&
         m.global.sector_bytes == sector && m.global.line_bytes == line;
}
static_assert(has(amd::gfx600, 64, 32, 256, 40, 64, 64) &&
              has(amd::gfx700, 64, 64, 512, 40, 64, 64) &&
              has(amd::gfx906, 64, 64, 512, 40, 64, 64));
static_assert(has(amd::gfx908, 64, 64, 512, 40, 64, 64) &&
              has(amd::gfx90a, 64, 64, 512, 32, 64, 64));
static_assert(has(amd::gfx942, 64, 64, 512, 32, 128, 128) &&
              has(amd::gfx950, 160, 160, 1280, 32, 128, 128));
static_assert(has(amd::gfx1010, 64, 64, 512, 40, 64, 128) &&
              has(amd::gfx1030, 64, 64, 1024, 32, 64, 128));
static_assert(has(amd::gfx1100, 64, 64, 1024, 32, 64, 128) &&
              has(amd::gfx1201, 64, 64, 1024, 32, 64, 128));
static_assert(has(amd::gfx1250, 320, 320, 2048, 64, 64, 128));

// Wave64: the same phases, once for each half.
constexpr bm::machine wide = amd::in_wave64(amd::gfx1100);
static_assert(wide.lanes == 64 && wide.limits.threads_per_multiprocessor == 2048 &&
              bm::validated(wide) == wide);
static_assert(is(wide.loads.up_to_4, 32, 64, H64) && is(wide.loads.bytes_8, 32, 64, Q64) &&
              is(wide.loads.bytes_16, 32, 64, X64));
static_assert(is(wide.stores.bytes_16, 32, 64, E64) && is(wide.special.atomics_8, 32, 64, Q64) &&
              wide.loads.up_to_4.sure == confidence::low);
static_assert(is(amd::in_wave64(amd::gfx1201).loads.bytes_16, 32, 64, E64));
