// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MACHINES_AMD_HPP
#define BANKMODEL_MACHINES_AMD_HPP

#include <bankmodel/machines/detail/gcn_and_cdna.hpp>
#include <bankmodel/machines/detail/rdna.hpp>

// AMD GPUs from GCN 1 (gfx6) to RDNA 4 (gfx12) and gfx1250. Each number carries its source
// (machines/sources.hpp); the comments add the rest.
//
// A machine's name is its number in hexadecimal, and so is .model: 0x90a for gfx90a. The list
// of GPUs is that of LLVM's AMDGPUUsage.rst. Left out: gfx703, gfx705 and gfx810 (16 banks),
// gfx1154, gfx1170 to gfx1172, gfx1251 and gfx1310 (new, without published measurements).
//
// Accesses of 12 bytes per lane can overlap in part. Then the hardware's greedy choice of lanes
// may take more passes than are counted here. Until gfx8 they must be aligned to 16 bytes, or
// the compiler issues other instructions (LLVM).
namespace bankmodel::amd {

namespace detail {

BANKMODEL_FN machine with_loads_of_4(const service& rules, machine m) {
  m.loads.up_to_4 = rules;
  m.special.paired_loads_4 = inferred(rules, rules.phases);
  return m;
}

BANKMODEL_FN machine like(machine m, int model) {
  m.model = model;
  return m;
}

// The record of this number; without banks, lanes and model if it is unknown.
BANKMODEL_FN machine record(int model) {
  switch (model) {
    case 0x600:
    case 0x601:
    case 0x602:
    case 0x700:
    case 0x701:
    case 0x702:
    case 0x704:
    case 0x801:
    case 0x802:
    case 0x803:
    case 0x805:
    case 0x900:
    case 0x902:
    case 0x904:
    case 0x906:
    case 0x908:
    case 0x909:
    case 0x90a:
    case 0x90c: return gcn(model);
    case 0x940:
    case 0x941:
    case 0x942: return cdna_3(model);
    case 0x950: return cdna_4(model);
    case 0x1010:
    case 0x1011:
    case 0x1012:
    case 0x1013:
    case 0x1030:
    case 0x1031:
    case 0x1032:
    case 0x1033:
    case 0x1034:
    case 0x1035:
    case 0x1036:
    case 0x1100:
    case 0x1101:
    case 0x1102:
    case 0x1103:
    case 0x1150:
    case 0x1151:
    case 0x1152:
    case 0x1153:
    case 0x1200:
    case 0x1201: return rdna(model);
    case 0x1250: return gfx125(model);
    default: return {};
  }
}

}  // namespace detail

// Those that differ in their number alone are copies, which a compiler makes in half the time.
inline constexpr machine gfx600 = detail::record(0x600);
inline constexpr machine gfx601 = detail::like(gfx600, 0x601), gfx602 = detail::like(gfx600, 0x602);
inline constexpr machine gfx700 = detail::record(0x700);
inline constexpr machine gfx701 = detail::like(gfx700, 0x701), gfx704 = detail::like(gfx700, 0x704);
inline constexpr machine gfx801 = detail::like(gfx700, 0x801), gfx802 = detail::like(gfx700, 0x802);
inline constexpr machine gfx803 = detail::like(gfx700, 0x803), gfx805 = detail::like(gfx700, 0x805);
inline constexpr machine gfx900 = detail::like(gfx700, 0x900), gfx902 = detail::like(gfx700, 0x902);
inline constexpr machine gfx904 = detail::like(gfx700, 0x904), gfx906 = detail::like(gfx700, 0x906);
inline constexpr machine gfx909 = detail::like(gfx700, 0x909), gfx90c = detail::like(gfx700, 0x90c);
inline constexpr machine gfx702 = detail::record(0x702);
inline constexpr machine gfx908 = detail::record(0x908);  // MI100
inline constexpr machine gfx90a = detail::record(0x90a);  // MI200
inline constexpr machine gfx940 = detail::record(0x940);
inline constexpr machine gfx941 = detail::like(gfx940, 0x941);
inline constexpr machine gfx942 = detail::record(0x942);  // MI300
inline constexpr machine gfx950 = detail::record(0x950);  // MI350
inline constexpr machine gfx950_with_64_banks_for_4_bytes = detail::with_loads_of_4(
    detail::banks_of_4(64, sources::shark_guide, {}, sources::shark_guide, confidence::low),
    gfx950);
inline constexpr machine gfx1010 = detail::record(0x1010);
inline constexpr machine gfx1011 = detail::like(gfx1010, 0x1011),
                         gfx1012 = detail::like(gfx1010, 0x1012);
inline constexpr machine gfx1013 = detail::like(gfx1010, 0x1013);
inline constexpr machine gfx1030 = detail::record(0x1030);
inline constexpr machine gfx1031 = detail::like(gfx1030, 0x1031),
                         gfx1032 = detail::like(gfx1030, 0x1032);
inline constexpr machine gfx1033 = detail::like(gfx1030, 0x1033),
                         gfx1034 = detail::like(gfx1030, 0x1034);
inline constexpr machine gfx1035 = detail::like(gfx1030, 0x1035),
                         gfx1036 = detail::like(gfx1030, 0x1036);
inline constexpr machine gfx1100 = detail::record(0x1100);
inline constexpr machine gfx1101 = detail::record(0x1101);
inline constexpr machine gfx1102 = detail::like(gfx1101, 0x1102),
                         gfx1103 = detail::like(gfx1101, 0x1103);
inline constexpr machine gfx1150 = detail::like(gfx1101, 0x1150),
                         gfx1151 = detail::like(gfx1101, 0x1151);
inline constexpr machine gfx1152 = detail::like(gfx1101, 0x1152),
                         gfx1153 = detail::like(gfx1101, 0x1153);
inline constexpr machine gfx1200 = detail::record(0x1200);
inline constexpr machine gfx1201 = detail::record(0x1201);
inline constexpr machine gfx1250 = detail::record(0x1250);

}  // namespace bankmodel::amd

namespace bankmodel::rule {
[[noreturn]] BANKMODEL_FN void a_gfx_name_must_be_gfx_and_its_number(long long place) {
  bankmodel::detail::fail(
      __func__,
      "the name of an AMD GPU is wrong at character %; write gfx942, or as rocminfo "
      "does gfx90a:sramecc+:xnack-",
      place);
}
[[noreturn]] BANKMODEL_FN void a_gfx_must_have_known_phases(long long major, long long minor,
                                                            long long stepping) {
  bankmodel::detail::fail(
      __func__,
      "gfx%%% has 16 banks, and nobody has published which of its lanes are served "
      "together; measure it, and write a machine of your own with .bank_num = 16",
      major, minor, stepping);
}
[[noreturn]] BANKMODEL_FN void a_gfx_must_be_a_known_one(long long major, long long minor,
                                                         long long stepping) {
  const char* const by_major[] = {
      "there is no record of gfx version %.%.%; copy and adjust one of gfx600 to gfx602",
      "there is no record of gfx version %.%.%; copy and adjust one of gfx700 to gfx702 and gfx704",
      "there is no record of gfx version %.%.%; copy and adjust one of gfx801 to gfx803 and gfx805",
      "there is no record of gfx version %.%.%; copy and adjust one of gfx900, 902, 904, 906, 908, "
      "909, 90a, 90c, 940 to 942, 950",
      "there is no record of gfx version %.%.%; copy and adjust one of gfx1010 to gfx1013 and "
      "gfx1030 to gfx1036",
      "there is no record of gfx version %.%.%; copy and adjust one of gfx1100 to gfx1103 and "
      "gfx1150 to gfx1153",
      "there is no record of gfx version %.%.%; copy and adjust one of gfx1200, gfx1201 and "
      "gfx1250"};
  bankmodel::detail::fail("a_gfx_must_be_a_known_one",
                          by_major[major < 6    ? 0
                                   : major > 12 ? 6
                                                : major - 6],
                          major, minor, stepping);
}
[[noreturn]] BANKMODEL_FN void wave64_is_a_mode_of_gfx1010_to_gfx1201(long long lanes) {
  bankmodel::detail::fail(
      __func__,
      "in_wave64() of a machine with warps of % lanes that has no such mode; pass one "
      "of gfx1010 to gfx1201 (gfx6 to gfx9 always have 64 lanes, gfx1250 and NVIDIA "
      "always 32)",
      lanes);
}
}  // namespace bankmodel::rule

namespace bankmodel::amd {

// Returns the machine of this name, as compilers and rocminfo write it; text after a colon is
// ignored.
//
//   static_assert(amd::gfx("gfx90a:sramecc+:xnack-") == amd::gfx90a);
//
// Error: the text is not such a name; the GPU is unknown (the message names those of its
// generation); gfx703, gfx705 and gfx810, which have 16 banks (Mesa and LLVM) and undocumented
// phases.
BANKMODEL_FN machine gfx(const char* name) {
  int position = 0, number = 0;
  for (const char start[] = "gfx"; position < 3; ++position)
    if (name == nullptr || name[position] != start[position])
      rule::a_gfx_name_must_be_gfx_and_its_number(position + 1);
  // One or two decimal digits of the generation, and two more.
  for (; name[position] != '\0' && name[position] != ':'; ++position) {
    const int digit = name[position] >= '0' && name[position] <= '9'   ? name[position] - '0'
                      : name[position] >= 'a' && name[position] <= 'f' ? name[position] - 'a' + 10
                                                                       : -1;
    if (digit < 0 || position == 7 || (position == 3 && (digit == 0 || digit > 9)))
      rule::a_gfx_name_must_be_gfx_and_its_number(position + 1);
    number = 16 * number + digit;
  }
  if (position < 6 || (number >> 8 & 15) > 9)
    rule::a_gfx_name_must_be_gfx_and_its_number(position < 6 ? position + 1 : 5);

  const int major = (number >> 12) * 10 + (number >> 8 & 15), minor = number >> 4 & 15,
            stepping = number & 15;
  if (number == 0x703 || number == 0x705 || number == 0x810)
    rule::a_gfx_must_have_known_phases(major, minor, stepping);
  const machine result = detail::record(number);
  if (result.lanes == 0) rule::a_gfx_must_be_a_known_one(major, minor, stepping);
  return result;
}

// Returns an RDNA machine in its mode of 64 lanes: each request is served as two of 32 lanes,
// one after the other (from memory, not documented: all its phases have low confidence).
// Error: the machine has no such mode, for example because it already has 64 lanes.
// Example: a load of 4 bytes is served in two phases, and one of 16 bytes in eight:
//
//   constexpr machine wave64 = amd::in_wave64(amd::gfx1100);
//   static_assert(wave64.lanes == 64);
//   static_assert(1 << wave64.served(4, access_kind::load).phases.bits() == 2);
//   static_assert(1 << wave64.served(16, access_kind::load).phases.bits() == 8);
BANKMODEL_FN machine in_wave64(machine m) {
  if (m.made_by != vendor::amd || m.lanes != 32 || m.model < 0x1010 || m.model > 0x1201)
    rule::wave64_is_a_mode_of_gfx1010_to_gfx1201(m.lanes);
  service* const entries[] = {
      &m.loads.up_to_4,     &m.loads.bytes_8,          &m.loads.bytes_12,
      &m.loads.bytes_16,    &m.stores.up_to_4,         &m.stores.bytes_8,
      &m.stores.bytes_12,   &m.stores.bytes_16,        &m.special.atomics_4,
      &m.special.atomics_8, &m.special.paired_loads_4, &m.special.paired_loads_8};
  for (service* const entry : entries) {
    const lane_groups phases = entry->phases;
    if (phases.bits() == 3) rule::wave64_is_a_mode_of_gfx1010_to_gfx1201(m.lanes);
    const unsigned char second = phases.bits() == 1 ? 32 : phases.parity_1,
                        third = phases.bits() == 2 ? 32 : 0;
    if (entry->bank_num != 0)
      *entry = detail::inferred(*entry, phases.bits() == 0
                                            ? lane_groups{32, 0, 0}
                                            : lane_groups{phases.parity_0, second, third});
  }
  m.lanes = 64;
  m.limits.threads_per_multiprocessor = 64 * m.limits.warps_per_multiprocessor;
  return m;
}

}  // namespace bankmodel::amd

#endif
