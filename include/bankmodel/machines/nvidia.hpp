// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MACHINES_NVIDIA_HPP
#define BANKMODEL_MACHINES_NVIDIA_HPP

#include <bankmodel/machines/sources.hpp>

// NVIDIA GPUs from compute capability 1.0 to 12.1. Each number carries its source
// (machines/sources.hpp); the comments add the rest.
namespace bankmodel::nvidia {

namespace detail {

// 1.x: 16 banks of 4 bytes. Half-warps are requests of their own, served in steps; a step
// serves one word for all its lanes and one lane of each other bank (guide 4.2, F.3.3.1). The
// guide does not specify which word and which lane. We count the fewest steps that the rule
// allows; the hardware may take more. (GPGPU-Sim keeps one word for all steps, which may be
// more.) A wider access is one request for each of its words: the guide's double has two, each
// 2-way.
BANKMODEL_FN service tesla(confidence sure) {
  return {.bank_num = 16,
          .W = 4,
          .N = 4,
          .phases = {16},
          .sure = sure,
          .banks_from = sources::guide_4,
          .phases_from = sources::guide_4,
          .serves = serving::by_broadcast,
          .piece_bytes = 4};
}
constexpr services tesla_services = {.up_to_4 = tesla(confidence::high),
                                     .bytes_8 = tesla(confidence::medium),
                                     .bytes_12 = {},
                                     .bytes_16 = tesla(confidence::medium)};

// 2.x, and 5.0 and later: 32 banks, words and layers of 4 bytes.
BANKMODEL_FN service banks_of_4(source banks_from, lane_groups phases, source phases_from,
                                confidence sure) {
  return {.bank_num = 32,
          .W = 4,
          .N = 4,
          .phases = phases,
          .sure = sure,
          .banks_from = banks_from,
          .phases_from = phases_from};
}
constexpr lane_groups warp = {}, halves = {16}, quarters = {8, 16};

// 2.x: for 16 bytes per lane the guide (4.2, F.4.3) says only that the degree is 1 more than
// that of the worst quarter.
BANKMODEL_FN services fermi_services() {
  services result;
  result.up_to_4 = banks_of_4(sources::guide_4, warp, sources::guide_4, confidence::high);
  result.bytes_8 = banks_of_4(sources::guide_4, halves, sources::guide_4, confidence::high);
  result.bytes_16 = banks_of_4(sources::guide_4, quarters, sources::guide_4, confidence::medium);
  result.bytes_16.phases_overlap = true;
  return result;
}

// Kepler: 32 banks, layers of 8 bytes, words of 4 bytes by default or 8 (guide 4.2, F.5.3). Two
// lanes do not conflict in words i and i + 32 of one aligned segment of 64 words, and the slide
// shows the address bits: layers of 256 bytes in both modes. A warp's 8-byte accesses fill one
// pass (256 bytes per clock). How 16 bytes are split is documented nowhere: at least two passes
// are needed; halves are assumed.
BANKMODEL_FN service kepler_service(lane_groups phases, source phases_from, confidence sure) {
  return {.bank_num = 32,
          .W = 8,
          .N = 4,
          .phases = phases,
          .sure = sure,
          .banks_from = sources::guide_4,
          .phases_from = phases_from};
}
constexpr services kepler_services = {
    .up_to_4 = kepler_service(warp, sources::guide_4, confidence::high),
    .bytes_8 = kepler_service(warp, sources::gtc_2012, confidence::medium),
    .bytes_12 = {},
    .bytes_16 = kepler_service(halves, sources::inferred, confidence::low)};

// Halves for 8 bytes per lane and quarters for 16 are not in the guide. They were measured on
// Turing and Ampere, and are on NVIDIA's slides (gtc_2019) and in its answer in the forum;
// nothing contradicts them.
constexpr services maxwell_services = {
    .up_to_4 = banks_of_4(sources::guide_13, warp, sources::guide_13, confidence::high),
    .bytes_8 = banks_of_4(sources::guide_13, halves, sources::hitori, confidence::high),
    .bytes_12 = {},
    .bytes_16 = banks_of_4(sources::guide_13, quarters, sources::hitori, confidence::high)};

// Lanes of an atomic at one address are served one after another. Since Maxwell shared memory
// has native 32-bit atomics and 64-bit compare-and-swap (tuning guide). Before, and for other
// 64-bit operations, the compiler generates a loop; only the pattern of its accesses is
// modelled.
BANKMODEL_FN service atomics_like(service of, confidence sure) {
  of.serves = serving::by_lane;
  of.piece_bytes = 0;
  of.phases_from = sources::inferred;
  of.sure = sure;
  return of;
}

// ldmatrix (since 7.5) and stmatrix (since 9.0): eight lanes give the rows of a matrix, which
// are served together.
constexpr service rows_of_matrices =
    banks_of_4(sources::guide_13, quarters, sources::matrix_loads, confidence::medium);

// Shared memory: bytes per multiprocessor, per block that opts in, granularity, reserved bytes.
// Registers: 65 536 per multiprocessor and per block, 255 per thread, allocated to warps in
// units of 256, in four sub-partitions.
BANKMODEL_FN residency limits_of(int shared, int opt_in, int granularity, int reserved, int threads,
                                 int blocks, source from, confidence sure) {
  return {.shared_per_multiprocessor = shared,
          .shared_per_block = 49152,
          .shared_per_block_opt_in = opt_in,
          .shared_granularity = granularity,
          .shared_reserved = reserved,
          .threads_per_block = 1024,
          .threads_per_multiprocessor = threads,
          .warps_per_multiprocessor = threads / 32,
          .blocks_per_multiprocessor = blocks,
          .registers_per_multiprocessor = 65536,
          .registers_per_block = 65536,
          .registers_per_thread = 255,
          .register_granularity = 256,
          .register_check_warps = 4,
          .sub_partitions = 4,
          .sure = sure,
          .shared_from = from,
          .granularity_from = sources::occupancy_header,
          .residents_from = from,
          .registers_from = from};
}

// All have sectors of 32 bytes in lines of 128 bytes (before 5.0 transactions of 32 to 128
// bytes, guide 4.2, F.3.2 and F.4.2).
BANKMODEL_FN machine gpu(int model, const services& both, const residency& limits) {
  machine result;
  result.made_by = vendor::nvidia;
  result.model = model;
  result.lanes = 32;
  result.loads = result.stores = both;
  result.bank_width = 4;
  result.limits = limits;
  result.merges_from = sources::guide_4;  // the guide has no merging
  result.merges_sure = confidence::medium;
  result.global = {32, 128, confidence::high, model < 50 ? sources::guide_4 : sources::sectors};
  return result;
}

// 1.x: a block's warps are allocated in pairs. Kernel parameters and 16 more bytes are stored
// in its shared memory; add them to a block's bytes yourself. Registers were allocated to
// blocks, not to warps, which no field expresses, so they are left out.
BANKMODEL_FN machine tesla(int model, int threads) {
  residency limits =
      limits_of(16384, 16384, 512, 0, threads, 8, sources::guide_4, confidence::high);
  limits.shared_per_block = 16384;
  limits.threads_per_block = 512;
  limits.warp_granularity = 2;
  limits.registers_per_multiprocessor = limits.registers_per_block = limits.registers_per_thread =
      0;
  limits.register_granularity = limits.register_check_warps = limits.sub_partitions = 0;
  limits.registers_from = sources::own;
  machine result = gpu(model, tesla_services, limits);
  // since 1.2: guide 4.2, table F-1
  if (model >= 12) result.special.atomics_4 = atomics_like(tesla_services.up_to_4, confidence::low);
  return result;
}

// 2.x. The facts that this file was written from do not contain its registers, so they are left
// out.
BANKMODEL_FN machine fermi(int model) {
  residency limits = limits_of(49152, 49152, 128, 0, 1536, 8, sources::guide_4, confidence::high);
  limits.registers_per_multiprocessor = limits.registers_per_block = limits.registers_per_thread =
      0;
  limits.register_granularity = limits.register_check_warps = limits.sub_partitions = 0;
  limits.registers_from = sources::own;
  machine result = gpu(model, fermi_services(), limits);
  result.special.atomics_4 = atomics_like(result.loads.up_to_4, confidence::low);
  result.special.atomics_8 = atomics_like(result.loads.bytes_8, confidence::low);
  return result;
}

BANKMODEL_FN machine kepler(int model, int shared) {
  machine result =
      gpu(model, kepler_services,
          limits_of(shared, 49152, 256, 0, 2048, 16, sources::old_guides, confidence::high));
  result.other_bank_width = 8;
  result.special.atomics_4 = atomics_like(kepler_services.up_to_4, confidence::low);
  result.special.atomics_8 = atomics_like(kepler_services.bytes_8, confidence::low);
  return result;
}

// Phases of loads merge in pairs: NVIDIA's answer in the forum for 7.0 and 7.5, measured on
// Turing and Ampere; assumed for other generations (medium). For stores it is untested, so they
// do not merge here: set merges_stores = merging::pairs in a copy of the record to try it. That
// matrices do not merge is assumed too.
BANKMODEL_FN machine maxwell_and_later(int model, const residency& limits) {
  machine result = gpu(model, maxwell_services, limits);
  result.merges_loads = merging::pairs;
  result.merges_from = sources::forum_77228;
  result.merges_sure = model >= 70 && model <= 86 ? confidence::high : confidence::medium;
  result.special.atomics_4 = atomics_like(maxwell_services.up_to_4, confidence::medium);
  result.special.atomics_8 = atomics_like(maxwell_services.bytes_8, confidence::low);
  if (model >= 75) result.special.matrix_loads = rows_of_matrices;
  if (model >= 90) result.special.matrix_stores = rows_of_matrices;
  return result;
}

// 5.0 to 7.x: a block has up to `opt_in` bytes of shared memory, none reserved, in units of 256
// bytes.
BANKMODEL_FN residency until_turing(int shared, int opt_in, int threads, int blocks,
                                    confidence sure = confidence::high) {
  return limits_of(shared, opt_in, 256, 0, threads, blocks, sources::old_guides, sure);
}

// 7.5 is the first in the current guide. 8.0 and later: 1 KB of each block is reserved, so a
// block can have all other bytes, in units of 128 bytes.
BANKMODEL_FN residency turing() {
  return limits_of(65536, 65536, 256, 0, 1024, 16, sources::guide_13, confidence::high);
}
BANKMODEL_FN residency since_ampere(int shared, int threads, int blocks,
                                    confidence sure = confidence::high) {
  return limits_of(shared, shared - 1024, 128, 1024, threads, blocks, sources::guide_13, sure);
}

// Machines with other registers: 3.7 has twice as many per multiprocessor, 3.0 has 63 per
// thread, 6.0 has two sub-partitions (but is checked as if it had four). A block of the
// embedded chips has 32 768, as deviceQuery prints on a Jetson TK1 (3.2), Nano (5.3) and TX2
// (6.2); copies of guides and spreadsheets differ.
struct registers {
  int per_multiprocessor = 65536, per_block = 65536, per_thread = 255, sub_partitions = 4;
};
BANKMODEL_FN machine with(const registers& these, machine m) {
  m.limits.registers_per_multiprocessor = these.per_multiprocessor;
  m.limits.registers_per_block = these.per_block;
  m.limits.registers_per_thread = these.per_thread;
  m.limits.sub_partitions = these.sub_partitions;
  if (these.per_block == 32768) m.limits.registers_from = sources::device_queries;
  if (these.sub_partitions == 2) m.limits.registers_from = sources::occupancy_header;
  return m;
}

}  // namespace detail

inline constexpr machine sm_10 = detail::tesla(10, 768);
inline constexpr machine sm_11 = detail::tesla(11, 768);
inline constexpr machine sm_12 = detail::tesla(12, 1024);
inline constexpr machine sm_13 = detail::tesla(13, 1024);
inline constexpr machine sm_20 = detail::fermi(20);
inline constexpr machine sm_21 = detail::fermi(21);
inline constexpr machine sm_30 = detail::with({.per_thread = 63}, detail::kepler(30, 49152));
inline constexpr machine sm_32 = detail::with({.per_block = 32768}, detail::kepler(32, 49152));
inline constexpr machine sm_35 = detail::kepler(35, 49152);
inline constexpr machine sm_37 =
    detail::with({.per_multiprocessor = 131072}, detail::kepler(37, 114688));
inline constexpr machine sm_50 =
    detail::maxwell_and_later(50, detail::until_turing(65536, 49152, 2048, 32));
inline constexpr machine sm_52 =
    detail::maxwell_and_later(52, detail::until_turing(98304, 49152, 2048, 32));
inline constexpr machine sm_53 =
    detail::with({.per_block = 32768},
                 detail::maxwell_and_later(53, detail::until_turing(65536, 49152, 2048, 32)));
inline constexpr machine sm_60 =
    detail::with({.sub_partitions = 2},
                 detail::maxwell_and_later(60, detail::until_turing(65536, 49152, 2048, 32)));
inline constexpr machine sm_61 =
    detail::maxwell_and_later(61, detail::until_turing(98304, 49152, 2048, 32));
inline constexpr machine sm_62 =
    detail::with({.per_block = 32768},
                 detail::maxwell_and_later(62, detail::until_turing(65536, 49152, 2048, 32)));
inline constexpr machine sm_70 =
    detail::maxwell_and_later(70, detail::until_turing(98304, 98304, 2048, 32));
// 7.2 has the banks of 7.x. Its limits are those of 7.0, which is unconfirmed: query the
// device.
inline constexpr machine sm_72 =
    detail::maxwell_and_later(72, detail::until_turing(98304, 98304, 2048, 32, confidence::low));
inline constexpr machine sm_75 = detail::maxwell_and_later(75, detail::turing());
inline constexpr machine sm_80 =
    detail::maxwell_and_later(80, detail::since_ampere(167936, 2048, 32));
inline constexpr machine sm_86 =
    detail::maxwell_and_later(86, detail::since_ampere(102400, 1536, 16));
inline constexpr machine sm_87 =
    detail::maxwell_and_later(87, detail::since_ampere(167936, 1536, 16));
inline constexpr machine sm_89 =
    detail::maxwell_and_later(89, detail::since_ampere(102400, 1536, 24));
inline constexpr machine sm_90 =
    detail::maxwell_and_later(90, detail::since_ampere(233472, 2048, 32));
inline constexpr machine sm_100 =
    detail::maxwell_and_later(100, detail::since_ampere(233472, 2048, 32));
inline constexpr machine sm_103 =
    detail::maxwell_and_later(103, detail::since_ampere(233472, 2048, 32));
inline constexpr machine sm_110 =
    detail::maxwell_and_later(110, detail::since_ampere(233472, 1536, 24, confidence::medium));
inline constexpr machine sm_120 =
    detail::maxwell_and_later(120, detail::since_ampere(102400, 1536, 24));
inline constexpr machine sm_121 =
    detail::maxwell_and_later(121, detail::since_ampere(102400, 1536, 24));

}  // namespace bankmodel::nvidia

namespace bankmodel::rule {
[[noreturn]] BANKMODEL_FN void minor_of_a_compute_capability_must_be_0_to_9(long long major,
                                                                            long long minor) {
  bankmodel::detail::fail(
      __func__,
      "compute_capability(%, %) has a minor number outside 0 to 9; pass major and "
      "minor as in cudaDeviceProp, (9, 0) for sm_90",
      major, minor);
}
[[noreturn]] BANKMODEL_FN void compute_capability_must_be_a_known_one(long long given,
                                                                      long long below,
                                                                      long long above) {
  bankmodel::detail::fail(
      __func__,
      "there is no record of compute capability % (10 * major + minor); the nearest "
      "known ones are sm_% and sm_%, copy and adjust one of them",
      given, below, above);
}
}  // namespace bankmodel::rule

namespace bankmodel::nvidia {

// Returns the machine of this compute capability, as in cudaDeviceProp:
// compute_capability(9, 0) is sm_90. Kepler (3.x) is in its 4-byte mode.
// Error: the compute capability is unknown; the message names the nearest known ones.
BANKMODEL_FN machine compute_capability(int major, int minor) {
  constexpr machine known[] = {sm_10,  sm_11,  sm_12,  sm_13,  sm_20, sm_21, sm_30, sm_32,
                               sm_35,  sm_37,  sm_50,  sm_52,  sm_53, sm_60, sm_61, sm_62,
                               sm_70,  sm_72,  sm_75,  sm_80,  sm_86, sm_87, sm_89, sm_90,
                               sm_100, sm_103, sm_110, sm_120, sm_121};
  constexpr int count = static_cast<int>(sizeof known / sizeof known[0]);
  if (minor < 0 || minor > 9) rule::minor_of_a_compute_capability_must_be_0_to_9(major, minor);
  const long long model = 10ll * major + minor;
  int below = 0, above = count - 1;
  for (int at = 0; at < count; ++at) {
    if (known[at].model == model) return known[at];
    if (known[at].model <= model) below = at;
    if (known[count - 1 - at].model > model) above = count - 1 - at;
  }
  rule::compute_capability_must_be_a_known_one(model, known[below].model, known[above].model);
}

}  // namespace bankmodel::nvidia

#endif
