// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MACHINES_NVIDIA_HPP
#define BANKMODEL_MACHINES_NVIDIA_HPP

#include <bankmodel/machine.hpp>

// NVIDIA GPUs from compute capability 3.0 to 12.1.
//
// Sources, and what each says:
//   [G4]  CUDA C Programming Guide 4.2, F.5.3: Kepler's 32 banks move 64 bits a clock; in 4-byte mode two lanes do not
//         conflict in the same 32-bit word, nor in words i and i + 32 of one aligned segment of 64 words.
//   [S3]  GTC 2012, S0514, slide 83: the address bits of the 4-byte mode. Together: layers of 256 bytes in both modes.
//   [G13] CUDA C++ Programming Guide 13.0, chapter 20: 32 banks of 32 bits a clock from 5.0 on ("behave the same way as
//         5.x"); shared memory, threads, warps and blocks of each capability (table 27).
//   [W]   Two halves for 8 bytes a lane and four quarters for 16: NVIDIA's GTC 2019 S9593 and forum thread 77228, measured
//         on Turing and Ampere (code.hitori.moe, vectorized instructions). Not in the guide; nothing contradicts it.
//   [P]   Phases of loads merge in pairs: NVIDIA's answer in forum thread 77228 for 7.0 and 7.5, measured on Turing and
//         Ampere by the same author. For other generations it is taken over (medium); for stores nobody has tested it,
//         so stores do not merge here: set merges_stores = merging::pairs in a copy of the record to try.
//   [O]   cuda_occupancy.h (CUDA 11, 12.8, 13.0): allocation granularity, the 1 KB that the system takes from each block;
//         registers by the warp in units of 256, in four sub-partitions (two on 6.0, which is checked as if it had four).
//   [R]   Registers: 65 536 a multiprocessor and a block, 255 a thread from 7.5 on [G13]; before that the archived guides:
//         131 072 a multiprocessor on 3.7, 63 a thread on 3.0. A block of the embedded chips has 32 768, as deviceQuery
//         prints on a Jetson TK1 (3.2), Nano (5.3) and TX2 (6.2); copies of guides and spreadsheets differ there.
namespace bankmodel::nvidia {

namespace detail {

// Kepler: 32 banks of 8 bytes a layer, words of 4 bytes as it starts or 8. [G4] [S3] A warp's 8-byte accesses fill one
// pass (256 bytes a clock, [S3]); how 16 bytes are split is documented nowhere: two passes are the least, halves assumed.
constexpr services kepler_services = {
    .up_to_4 = {.bank_num = 32, .W = 8, .N = 4, .phases = {}, .sure = confidence::high},
    .bytes_8 = {.bank_num = 32, .W = 8, .N = 4, .phases = {}, .sure = confidence::medium},
    .bytes_12 = {},
    .bytes_16 = {.bank_num = 32, .W = 8, .N = 4, .phases = {16}, .sure = confidence::low}};

// Maxwell and later: 32 banks, words and layers of 4 bytes [G13]; halves and quarters [W].
constexpr services maxwell_services = {
    .up_to_4 = {.bank_num = 32, .W = 4, .N = 4, .phases = {}, .sure = confidence::high},
    .bytes_8 = {.bank_num = 32, .W = 4, .N = 4, .phases = {16}, .sure = confidence::high},
    .bytes_12 = {},
    .bytes_16 = {.bank_num = 32, .W = 4, .N = 4, .phases = {8, 16}, .sure = confidence::high}};

// Shared memory: of a multiprocessor, of one block that opts in, its units, what the system takes. [G13] [O]
// Registers are those of most machines. [R] [O]
BANKMODEL_FN constexpr residency limits_of(int shared, int opt_in, int granularity, int reserved, int threads, int blocks,
                                           confidence sure) {
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
          .sure = sure};
}

BANKMODEL_FN constexpr machine kepler(int model, int shared) {
  return {.made_by = vendor::nvidia,
          .model = model,
          .lanes = 32,
          .loads = kepler_services,
          .stores = kepler_services,
          .merges_loads = merging::none,
          .merges_stores = merging::none,
          .bank_width = 4,
          .other_bank_width = 8,
          .limits = limits_of(shared, 49152, 256, 0, 2048, 16, confidence::high)};
}

BANKMODEL_FN constexpr machine maxwell_and_later(int model, const residency& limits) {
  return {.made_by = vendor::nvidia,
          .model = model,
          .lanes = 32,
          .loads = maxwell_services,
          .stores = maxwell_services,
          .merges_loads = merging::pairs,  // [P]
          .merges_stores = merging::none,
          .bank_width = 4,
          .other_bank_width = 0,
          .limits = limits};
}

// 5.0 to 7.x: shared memory by the block up to `opt_in`, none reserved, in units of 256 bytes. [G13] [O]
BANKMODEL_FN constexpr residency until_turing(int shared, int opt_in, int threads, int blocks, confidence sure = confidence::high) {
  return limits_of(shared, opt_in, 256, 0, threads, blocks, sure);
}

// 8.0 and later: 1 KB of each block reserved, so a block can have all but that, in units of 128 bytes. [G13] [O]
BANKMODEL_FN constexpr residency since_ampere(int shared, int threads, int blocks, confidence sure = confidence::high) {
  return limits_of(shared, shared - 1024, 128, 1024, threads, blocks, sure);
}

// The machines whose registers differ. [R] [O]
struct registers {
  int per_multiprocessor = 65536, per_block = 65536, per_thread = 255, sub_partitions = 4;
};
BANKMODEL_FN constexpr machine with(const registers& these, machine m) {
  m.limits.registers_per_multiprocessor = these.per_multiprocessor;
  m.limits.registers_per_block = these.per_block;
  m.limits.registers_per_thread = these.per_thread;
  m.limits.sub_partitions = these.sub_partitions;
  return m;
}

}  // namespace detail

inline constexpr machine sm_30 = detail::with({.per_thread = 63}, detail::kepler(30, 49152));
inline constexpr machine sm_32 = detail::with({.per_block = 32768}, detail::kepler(32, 49152));
inline constexpr machine sm_35 = detail::kepler(35, 49152);
inline constexpr machine sm_37 = detail::with({.per_multiprocessor = 131072}, detail::kepler(37, 114688));
inline constexpr machine sm_50 = detail::maxwell_and_later(50, detail::until_turing(65536, 49152, 2048, 32));
inline constexpr machine sm_52 = detail::maxwell_and_later(52, detail::until_turing(98304, 49152, 2048, 32));
inline constexpr machine sm_53 =
    detail::with({.per_block = 32768}, detail::maxwell_and_later(53, detail::until_turing(65536, 49152, 2048, 32)));
inline constexpr machine sm_60 =
    detail::with({.sub_partitions = 2}, detail::maxwell_and_later(60, detail::until_turing(65536, 49152, 2048, 32)));
inline constexpr machine sm_61 = detail::maxwell_and_later(61, detail::until_turing(98304, 49152, 2048, 32));
inline constexpr machine sm_62 =
    detail::with({.per_block = 32768}, detail::maxwell_and_later(62, detail::until_turing(65536, 49152, 2048, 32)));
inline constexpr machine sm_70 = detail::maxwell_and_later(70, detail::until_turing(98304, 98304, 2048, 32));
// 7.2 banks as 7.x does; its limits are those of 7.0, which nobody has confirmed: query the device.
inline constexpr machine sm_72 = detail::maxwell_and_later(72, detail::until_turing(98304, 98304, 2048, 32, confidence::low));
inline constexpr machine sm_75 = detail::maxwell_and_later(75, detail::until_turing(65536, 65536, 1024, 16));
inline constexpr machine sm_80 = detail::maxwell_and_later(80, detail::since_ampere(167936, 2048, 32));
inline constexpr machine sm_86 = detail::maxwell_and_later(86, detail::since_ampere(102400, 1536, 16));
inline constexpr machine sm_87 = detail::maxwell_and_later(87, detail::since_ampere(167936, 1536, 16));
inline constexpr machine sm_89 = detail::maxwell_and_later(89, detail::since_ampere(102400, 1536, 24));
inline constexpr machine sm_90 = detail::maxwell_and_later(90, detail::since_ampere(233472, 2048, 32));
inline constexpr machine sm_100 = detail::maxwell_and_later(100, detail::since_ampere(233472, 2048, 32));
inline constexpr machine sm_103 = detail::maxwell_and_later(103, detail::since_ampere(233472, 2048, 32));
inline constexpr machine sm_110 = detail::maxwell_and_later(110, detail::since_ampere(233472, 1536, 24, confidence::medium));
inline constexpr machine sm_120 = detail::maxwell_and_later(120, detail::since_ampere(102400, 1536, 24));
inline constexpr machine sm_121 = detail::maxwell_and_later(121, detail::since_ampere(102400, 1536, 24));

}  // namespace bankmodel::nvidia

namespace bankmodel::rule {
[[noreturn]] BANKMODEL_FN inline void compute_capability_must_be_a_known_one(long long major, long long minor, long long nearest) {
  bankmodel::detail::fail("compute_capability_must_be_a_known_one",
                          "there is no record of compute capability %.%; the nearest known one is sm_%, copy and adjust it", major, minor,
                          nearest);
}
}  // namespace bankmodel::rule

namespace bankmodel::nvidia {

// The machine of that compute capability, as cudaDeviceProp has it: compute_capability(9, 0) is sm_90. Kepler (3.x)
// comes in its 4-byte mode. An unknown one is refused with the nearest that is known.
BANKMODEL_FN constexpr machine compute_capability(int major, int minor) {
  constexpr machine known[] = {sm_30, sm_32, sm_35, sm_37, sm_50, sm_52, sm_53, sm_60,  sm_61,  sm_62,  sm_70, sm_72,
                               sm_75, sm_80, sm_86, sm_87, sm_89, sm_90, sm_100, sm_103, sm_110, sm_120, sm_121};
  constexpr int count = static_cast<int>(sizeof known / sizeof known[0]);
  const long long model = 10ll * major + minor;
  int nearest = 0;
  for (int at = 0; at < count; ++at) {
    const long long distance = known[at].model > model ? known[at].model - model : model - known[at].model;
    const long long best = known[nearest].model > model ? known[nearest].model - model : model - known[nearest].model;
    if (distance < best) nearest = at;
  }
  if (known[nearest].model != model || minor < 0 || minor > 9)
    rule::compute_capability_must_be_a_known_one(major, minor, known[nearest].model);
  return known[nearest];
}

}  // namespace bankmodel::nvidia

#endif
