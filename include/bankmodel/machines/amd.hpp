// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MACHINES_AMD_HPP
#define BANKMODEL_MACHINES_AMD_HPP

#include <bankmodel/machines/sources.hpp>

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

// The phases of 64 lanes, as parities of lane numbers (lane_groups). Functions, because device
// code cannot use the constants.
BANKMODEL_FN lane_groups halves() { return {32, 0, 0}; }     // 0-31, 32-63
BANKMODEL_FN lane_groups quarters() { return {16, 32, 0}; }  // 0-15, 16-31, ..
BANKMODEL_FN lane_groups eighths() { return {8, 16, 32}; }   // 0-7, 8-15, ..
// 0-3 with 20-23, 4-7 with 16-19, 8-11 with 28-31, ..
BANKMODEL_FN lane_groups crossed_eighths() { return {20, 8, 32}; }
// 0-3 with 12-15 and 20-27, 4-11 with 16-19 and 28-31, ..
BANKMODEL_FN lane_groups crossed_quarters() { return {28, 32, 0}; }

BANKMODEL_FN service banks_of_4(short bank_num, source banks_from, lane_groups phases,
                                source phases_from, confidence sure) {
  return {.bank_num = bank_num,
          .W = 4,
          .N = 4,
          .phases = phases,
          .sure = sure,
          .banks_from = banks_from,
          .phases_from = phases_from};
}

// The same with phases that this project copies from another machine.
BANKMODEL_FN service inferred(service how, lane_groups phases) {
  how.phases = phases;
  how.phases_from = sources::inferred;
  how.sure = confidence::low;
  return how;
}

// Shared memory per multiprocessor and per block, its granularity, and the warps per
// multiprocessor. A compute unit has 16 barriers, so there are at most 16 blocks of two or more
// warps; blocks of a single warp need no barrier, so there can be as many as warps (LLVM's
// getMaxWorkGroupsPerCU). The facts that this file was written from do not contain registers.
BANKMODEL_FN residency limits_of(int shared, int of_a_block, int granularity, int warps,
                                 int lanes) {
  residency result;
  result.shared_per_multiprocessor = shared;
  result.shared_per_block = result.shared_per_block_opt_in = of_a_block;
  result.shared_granularity = granularity;
  result.threads_per_block = 1024;
  result.threads_per_multiprocessor = warps * lanes;
  result.warps_per_multiprocessor = warps;
  result.blocks_per_multiprocessor = 16;
  result.blocks_of_one_warp = warps;
  result.sure = confidence::medium;
  result.shared_from = result.granularity_from = result.residents_from = sources::llvm;
  return result;
}

// Facts that are not known for any generation in particular. Nobody describes phases that
// merge. That lanes of an atomic are served one after another is inferred from a counter
// (SQ_LDS_ADDR_CONFLICT). That atomics have the phases of stores, and that a half of ds_read2
// is served like a load of its own, is assumed.
BANKMODEL_FN machine with_the_rest(machine m, int model, int lanes) {
  m.made_by = vendor::amd;
  m.model = model;
  m.lanes = lanes;
  m.bank_width = 4;
  m.merges_from = sources::inferred;
  m.special.atomics_4 = inferred(m.stores.up_to_4, m.stores.up_to_4.phases);
  m.special.atomics_8 = inferred(m.stores.bytes_8, m.stores.bytes_8.phases);
  m.special.atomics_4.serves = m.special.atomics_8.serves = serving::by_lane;
  m.special.paired_loads_4 = inferred(m.loads.up_to_4, m.loads.up_to_4.phases);
  m.special.paired_loads_8 = inferred(m.loads.bytes_8, m.loads.bytes_8.phases);
  return m;
}

// GCN and the first two CDNA. 4 and 8 bytes per lane are documented; the phases of 12 and 16
// bytes are those of gfx942, where they were first measured. gfx6 has no accesses of 12 and 16
// bytes (LLVM, hasDS96AndDS128). Mesa treats gfx702 as gfx701 (Hawaii) and gives 16 banks only
// to Kabini and Stoney; LLVM gives it 16 banks. We follow Mesa, with low confidence.
BANKMODEL_FN machine gcn(int model) {
  const bool cdna = model == 0x908 || model == 0x90a;
  const source banks_from = cdna             ? sources::ck_docs
                            : model == 0x702 ? sources::mesa
                                             : sources::amd_opencl;
  const confidence sure = model == 0x702 ? confidence::low : confidence::high;
  machine m;
  m.loads.up_to_4 = banks_of_4(32, banks_from, halves(), sources::amd_opencl, sure);
  m.loads.bytes_8 = banks_of_4(32, banks_from, quarters(), sources::amd_opencl, sure);
  m.stores = m.loads;
  if (model >= 0x700) {
    m.loads.bytes_12 = m.loads.bytes_16 = inferred(m.loads.up_to_4, crossed_eighths());
    m.stores.bytes_12 = m.stores.bytes_16 = inferred(m.stores.up_to_4, eighths());
  }
  m.limits = limits_of(65536, model < 0x700 ? 32768 : 65536, model < 0x700 ? 256 : 512,
                       model == 0x90a ? 32 : 40, 64);
  // 64: the vector L1; 128: the L2
  m.global = {64, cdna ? 128 : 64, confidence::medium,
              cdna ? sources::rocprofiler : sources::amd_opencl};
  return with_the_rest(m, model, 64);
}

// CDNA 3. Loads of 4, 8 and 16 bytes were measured on gfx942; gfx940 and gfx941 are its
// prototypes, which LLVM has dropped. 12 bytes were measured on gfx950, which AMD says is
// unchanged there. AMD documents the groups of 16-byte accesses.
BANKMODEL_FN machine cdna_3(int model) {
  const confidence sure = model == 0x942 ? confidence::high : confidence::medium;
  machine m;
  m.loads.up_to_4 = banks_of_4(32, sources::shark_guide, halves(), sources::shark_guide, sure);
  m.loads.bytes_8 = banks_of_4(32, sources::shark_guide, quarters(), sources::shark_guide, sure);
  m.loads.bytes_12 = banks_of_4(32, sources::shark_guide, crossed_eighths(), sources::hipkittens,
                                confidence::medium);
  m.loads.bytes_16 =
      banks_of_4(32, sources::shark_guide, crossed_eighths(), sources::ck_docs, sure);
  m.stores.up_to_4 =
      banks_of_4(32, sources::ck_docs, halves(), sources::rocroller, confidence::medium);
  m.stores.bytes_8 =
      banks_of_4(32, sources::ck_docs, quarters(), sources::rocroller, confidence::medium);
  m.stores.bytes_16 = banks_of_4(32, sources::ck_docs, eighths(), sources::ck_docs, sure);
  m.stores.bytes_12 = inferred(m.stores.bytes_16, m.stores.bytes_16.phases);
  m.limits = limits_of(65536, 65536, 512, 32, 64);
  m.global = {128, 128, sure, sources::shark_guide};
  m = with_the_rest(m, model, 64);
  // as two loads: 8 phases
  m.special.paired_loads_8 =
      banks_of_4(32, sources::shark_guide, quarters(), sources::shark_guide, sure);
  return m;
}

// CDNA 4: 64 banks for loads of 8 and of 16 bytes, 32 for everything else (measured for 8, 12
// and 16 bytes and for stores of 8).
//
// Loads of 4 bytes: AMD's rocRoller, which was compared with counters, and Triton have 32 banks
// and halves of the warp. The shark guide has 64 banks and one phase, found by pairs of lanes,
// but shows latencies for 8 bytes only. We follow the former: elsewhere 64 banks were measured
// only if they double the bandwidth, and 16 addresses per clock limit 4-byte loads.
// gfx950_with_64_banks_for_4_bytes is the other reading.
//
// ds_read_b64_tr_b16 is like a load of 8 bytes: AMD's Primus-Turbo (HipKittens' attention)
// counted its conflicts with two swizzles, 2 per instruction and none. These banks and phases
// explain that, 32 banks do not.
BANKMODEL_FN machine cdna_4(int model) {
  machine m;
  m.loads.up_to_4 =
      banks_of_4(32, sources::rocroller, halves(), sources::triton_backend, confidence::low);
  m.loads.bytes_8 =
      banks_of_4(64, sources::hipkittens, halves(), sources::hipkittens, confidence::high);
  m.loads.bytes_12 =
      banks_of_4(32, sources::hipkittens, crossed_eighths(), sources::hipkittens, confidence::high);
  m.loads.bytes_16 = banks_of_4(64, sources::hipkittens, crossed_quarters(), sources::hipkittens,
                                confidence::high);
  m.stores.up_to_4 =
      banks_of_4(32, sources::rocroller, halves(), sources::rocroller, confidence::medium);
  m.stores.bytes_8 =
      banks_of_4(32, sources::hipkittens, quarters(), sources::hipkittens, confidence::high);
  m.stores.bytes_16 =
      banks_of_4(32, sources::rocroller, eighths(), sources::rocroller, confidence::medium);
  m.stores.bytes_12 = inferred(m.stores.bytes_16, m.stores.bytes_16.phases);
  m.limits = limits_of(163840, 163840, 1280, 32, 64);
  m.global = {128, 128, confidence::medium, sources::shark_guide};  // those of gfx942
  m = with_the_rest(m, model, 64);
  m.special.paired_loads_8 = banks_of_4(32, sources::triton_backend, quarters(),
                                        sources::triton_backend, confidence::medium);
  m.special.transposed_loads =
      banks_of_4(64, sources::hipkittens, halves(), sources::primus_turbo, confidence::medium);
  return m;
}

// RDNA, warps of 32 in CU mode, in which a multiprocessor is one compute unit; in WGP mode two
// of them share twice its memory and warps. One set of 32 banks serves a warp. Measured: loads
// of 4, 8 and 16 bytes on gfx1100 and gfx1201. AMD says that gfx12 changed the order of 12 and
// 16 bytes, so before gfx12 we treat 12 bytes like 16. Stores are assumed to have phases of
// neighbouring lanes. Shared memory has a granularity of 1024 bytes from gfx10.3 on, though its
// encoding counts 512 (LLVM pull request 224852). A line of the L0 cache is 64 bytes in
// rocminfo (gfx1030) and 128 in the ISA guides.
BANKMODEL_FN machine rdna(int model) {
  const confidence sure =
      model == 0x1100 || model == 0x1201 ? confidence::high : confidence::medium;
  const lane_groups in_order{8, 16, 0}, crossed{20, 8, 0};
  machine m;
  // all 32 lanes
  m.loads.up_to_4 = banks_of_4(32, sources::rdna_isa, {}, sources::shark_guide, sure);
  m.loads.bytes_8 = banks_of_4(32, sources::rdna_isa, {16, 0, 0}, sources::shark_guide, sure);
  if (model < 0x1100) {
    m.loads.bytes_12 = m.loads.bytes_16 = inferred(m.loads.up_to_4, crossed);
  } else {
    m.loads.bytes_16 = banks_of_4(32, sources::rdna_isa, model < 0x1200 ? crossed : in_order,
                                  sources::shark_guide, sure);
    m.loads.bytes_12 = banks_of_4(32, sources::rdna_isa, m.loads.bytes_16.phases,
                                  sources::triton_banks, confidence::medium);
  }
  m.stores.up_to_4 = inferred(m.loads.up_to_4, m.loads.up_to_4.phases);
  m.stores.bytes_8 = inferred(m.loads.bytes_8, m.loads.bytes_8.phases);
  m.stores.bytes_12 = m.stores.bytes_16 = inferred(m.loads.up_to_4, in_order);
  m.limits = limits_of(65536, 65536, model < 0x1030 ? 512 : 1024, model < 0x1030 ? 40 : 32, 32);
  m.global = {64, 128, confidence::low, sources::rdna_isa};
  return with_the_rest(m, model, 32);
}

// gfx1250: 64 banks for everything (Triton), phases as on gfx12 (stated by AMD for 12 and 16
// bytes); none of it was measured. Its compute unit has four SIMDs of 16 warps and no WGP mode
// (LLVM pull request 153680), so twice the warps of an RDNA unit.
BANKMODEL_FN machine gfx125(int model) {
  machine m;
  m.loads.up_to_4 = banks_of_4(64, sources::triton_backend, {}, sources::inferred, confidence::low);
  m.loads.bytes_8 = inferred(m.loads.up_to_4, {16, 0, 0});
  m.stores = m.loads;
  m.loads.bytes_12 = m.loads.bytes_16 =
      banks_of_4(64, sources::triton_backend, {8, 16, 0}, sources::triton_banks, confidence::low);
  m.stores.bytes_12 = m.stores.bytes_16 = inferred(m.loads.up_to_4, {8, 16, 0});
  m.limits = limits_of(327680, 327680, 2048, 64, 32);
  m.limits.sure = confidence::low;
  m.global = {64, 128, confidence::low, sources::rdna_isa};
  return with_the_rest(m, model, 32);
}

BANKMODEL_FN machine with_loads_of_4(const service& how, machine m) {
  m.loads.up_to_4 = how;
  m.special.paired_loads_4 = inferred(how, how.phases);
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
// ignored: gfx("gfx90a:sramecc+:xnack-") is gfx90a.
// Error: the text is not such a name; the GPU is unknown (the message names those of its
// generation); gfx703, gfx705 and gfx810, which have 16 banks (Mesa and LLVM) and undocumented
// phases.
BANKMODEL_FN machine gfx(const char* name) {
  int at = 0, number = 0;
  for (const char start[] = "gfx"; at < 3; ++at)
    if (name == nullptr || name[at] != start[at])
      rule::a_gfx_name_must_be_gfx_and_its_number(at + 1);
  // One or two decimal digits of the generation, and two more.
  for (; name[at] != '\0' && name[at] != ':'; ++at) {
    const int digit = name[at] >= '0' && name[at] <= '9'   ? name[at] - '0'
                      : name[at] >= 'a' && name[at] <= 'f' ? name[at] - 'a' + 10
                                                           : -1;
    if (digit < 0 || at == 7 || (at == 3 && (digit == 0 || digit > 9)))
      rule::a_gfx_name_must_be_gfx_and_its_number(at + 1);
    number = 16 * number + digit;
  }
  if (at < 6 || (number >> 8 & 15) > 9)
    rule::a_gfx_name_must_be_gfx_and_its_number(at < 6 ? at + 1 : 5);

  const int major = (number >> 12) * 10 + (number >> 8 & 15), minor = number >> 4 & 15,
            stepping = number & 15;
  if (number == 0x703 || number == 0x705 || number == 0x810)
    rule::a_gfx_must_have_known_phases(major, minor, stepping);
  const machine found = detail::record(number);
  if (found.lanes == 0) rule::a_gfx_must_be_a_known_one(major, minor, stepping);
  return found;
}

// Returns an RDNA machine in its mode of 64 lanes: each request is served as two of 32 lanes,
// one after the other (from memory, not documented: all its phases have low confidence).
// Error: the machine has no such mode, for example because it already has 64 lanes.
// Example: in_wave64(gfx1100) serves a load of 4 bytes in two phases, and of 16 bytes in eight.
BANKMODEL_FN machine in_wave64(machine m) {
  if (m.made_by != vendor::amd || m.lanes != 32 || m.model < 0x1010 || m.model > 0x1201)
    rule::wave64_is_a_mode_of_gfx1010_to_gfx1201(m.lanes);
  service* const each[] = {
      &m.loads.up_to_4,     &m.loads.bytes_8,          &m.loads.bytes_12,
      &m.loads.bytes_16,    &m.stores.up_to_4,         &m.stores.bytes_8,
      &m.stores.bytes_12,   &m.stores.bytes_16,        &m.special.atomics_4,
      &m.special.atomics_8, &m.special.paired_loads_4, &m.special.paired_loads_8};
  for (service* const one : each) {
    const lane_groups of = one->phases;
    if (of.bits() == 3) rule::wave64_is_a_mode_of_gfx1010_to_gfx1201(m.lanes);
    const unsigned char second = of.bits() == 1 ? 32 : of.parity_1, third = of.bits() == 2 ? 32 : 0;
    if (one->bank_num != 0)
      *one = detail::inferred(
          *one, of.bits() == 0 ? lane_groups{32, 0, 0} : lane_groups{of.parity_0, second, third});
  }
  m.lanes = 64;
  m.limits.threads_per_multiprocessor = 64 * m.limits.warps_per_multiprocessor;
  return m;
}

}  // namespace bankmodel::amd

#endif
