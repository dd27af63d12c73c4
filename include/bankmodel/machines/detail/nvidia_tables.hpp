// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MACHINES_DETAIL_NVIDIA_TABLES_HPP
#define BANKMODEL_MACHINES_DETAIL_NVIDIA_TABLES_HPP

#include <bankmodel/machines/sources.hpp>

// The tables that the records of machines/nvidia.hpp are made from.
namespace bankmodel::nvidia {

// A compiler evaluates every record below when it reads this header, and its time is proportional
// to the members that are set one after another. So each record is one aggregate, made from tables
// in one step, and no object is changed afterwards.
namespace detail {

constexpr lane_groups warp = {}, halves = {16}, quarters = {8, 16};

// The columns of a service: banks, W, N, phases, confidence, source of the banks, source of the
// phases.

// 1.x: 16 banks of 4 bytes. Half-warps are requests of their own, served in steps; a step
// serves one word for all its lanes and one lane of each other bank (guide 4.2, F.3.3.1). The
// guide does not specify which word and which lane. We count the fewest steps that the rule
// allows; the hardware may take more. (GPGPU-Sim keeps one word for all steps, which may be
// more.) A wider access is one request for each of its words: the guide's double has two, each
// 2-way.
constexpr service tesla_words = {
    16, 4, 4, halves, confidence::high, sources::guide_4, sources::guide_4, serving::by_broadcast,
    4};
constexpr service tesla_wide = {
    16, 4, 4, halves, confidence::medium, sources::guide_4, sources::guide_4, serving::by_broadcast,
    4};
constexpr services tesla = {tesla_words, tesla_wide, {}, tesla_wide};

// 2.x, and 5.0 and later: 32 banks, words and layers of 4 bytes. 2.x: for 16 bytes per lane the
// guide (4.2, F.4.3) says only that the degree is 1 more than that of the worst quarter.
constexpr services fermi = {
    .up_to_4 = {32, 4, 4, warp, confidence::high, sources::guide_4, sources::guide_4},
    .bytes_8 = {32, 4, 4, halves, confidence::high, sources::guide_4, sources::guide_4},
    .bytes_12 = {},
    .bytes_16 = {32, 4, 4, quarters, confidence::medium, sources::guide_4, sources::guide_4,
                 serving::by_layer, 0, true}};

// Kepler: 32 banks, layers of 8 bytes, words of 4 bytes by default or 8 (guide 4.2, F.5.3). Two
// lanes do not conflict in words i and i + 32 of one aligned segment of 64 words, and the slide
// shows the address bits: layers of 256 bytes in both modes. A warp's 8-byte accesses fill one
// pass (256 bytes per clock). How 16 bytes are split is documented nowhere: at least two passes
// are needed; halves are assumed.
constexpr services kepler = {
    .up_to_4 = {32, 8, 4, warp, confidence::high, sources::guide_4, sources::guide_4},
    .bytes_8 = {32, 8, 4, warp, confidence::medium, sources::guide_4, sources::gtc_2012},
    .bytes_12 = {},
    .bytes_16 = {32, 8, 4, halves, confidence::low, sources::guide_4, sources::inferred}};

// Halves for 8 bytes per lane and quarters for 16 are not in the guide. They were measured on
// Turing and Ampere, and are on NVIDIA's slides (gtc_2019) and in its answer in the forum;
// nothing contradicts them.
constexpr services maxwell = {
    .up_to_4 = {32, 4, 4, warp, confidence::high, sources::guide_13, sources::guide_13},
    .bytes_8 = {32, 4, 4, halves, confidence::high, sources::guide_13, sources::hitori},
    .bytes_12 = {},
    .bytes_16 = {32, 4, 4, quarters, confidence::high, sources::guide_13, sources::hitori}};

// Lanes of an atomic at one address are served one after another. Since Maxwell shared memory
// has native 32-bit atomics and 64-bit compare-and-swap (tuning guide). Before, and for other
// 64-bit operations, the compiler generates a loop; only the pattern of its accesses is modelled.
// 1.x has atomics since 1.2 (guide 4.2, table F-1).
constexpr special_services none = {};
constexpr special_services tesla_atomics = {.atomics_4 = {16, 4, 4, halves, confidence::low,
                                                          sources::guide_4, sources::inferred,
                                                          serving::by_lane}};
constexpr special_services fermi_atomics = {
    .atomics_4 = {32, 4, 4, warp, confidence::low, sources::guide_4, sources::inferred,
                  serving::by_lane},
    .atomics_8 = {32, 4, 4, halves, confidence::low, sources::guide_4, sources::inferred,
                  serving::by_lane}};
constexpr special_services kepler_atomics = {
    .atomics_4 = {32, 8, 4, warp, confidence::low, sources::guide_4, sources::inferred,
                  serving::by_lane},
    .atomics_8 = {32, 8, 4, warp, confidence::low, sources::guide_4, sources::inferred,
                  serving::by_lane}};
constexpr special_services maxwell_atomics = {
    .atomics_4 = {32, 4, 4, warp, confidence::medium, sources::guide_13, sources::inferred,
                  serving::by_lane},
    .atomics_8 = {32, 4, 4, halves, confidence::low, sources::guide_13, sources::inferred,
                  serving::by_lane}};

// ldmatrix (since 7.5) and stmatrix (since 9.0): eight lanes give the rows of a matrix, which
// are served together.
constexpr service rows_of_matrices = {
    32, 4, 4, quarters, confidence::medium, sources::guide_13, sources::matrix_loads};
constexpr special_services turing = {.atomics_4 = maxwell_atomics.atomics_4,
                                     .atomics_8 = maxwell_atomics.atomics_8,
                                     .matrix_loads = rows_of_matrices};

// cp.async (since 8.0): each lane is a copy of its own, so lanes of one word are served one after
// another; the phases are those of stores. It was counted on 12.0 (17 destinations), and is
// inferred elsewhere: effects of this kind, without counts, were reported of an RTX 3090 (NVIDIA
// forum 245066) and in NVIDIA/cutlass issue 2212 and triton-lang/triton issue 8149. Past the first
// cache (.cg) the counter of conflicts was 0 for every pattern that was tried on 12.0; how many
// wavefronts the copy takes there is not known.
constexpr special_services ampere = {.atomics_4 = maxwell_atomics.atomics_4,
                                     .atomics_8 = maxwell_atomics.atomics_8,
                                     .matrix_loads = rows_of_matrices,
                                     .has_copies = true,
                                     .copies_from = sources::inferred};
constexpr special_services hopper = {.atomics_4 = maxwell_atomics.atomics_4,
                                     .atomics_8 = maxwell_atomics.atomics_8,
                                     .matrix_loads = rows_of_matrices,
                                     .matrix_stores = rows_of_matrices,
                                     .has_copies = true,
                                     .copies_from = sources::inferred};
constexpr special_services blackwell_120 = {.atomics_4 = maxwell_atomics.atomics_4,
                                            .atomics_8 = maxwell_atomics.atomics_8,
                                            .matrix_loads = rows_of_matrices,
                                            .matrix_stores = rows_of_matrices,
                                            .has_copies = true,
                                            .copies_sure = confidence::medium,
                                            .copies_from = sources::sass_document};

// The registers of most machines. 3.7 has twice as many per multiprocessor, 3.0 has 63 per thread,
// 6.0 has two sub-partitions (but is checked as if it had four). A block of the embedded chips has
// 32 768, as deviceQuery prints on a Jetson TK1 (3.2), Nano (5.3) and TX2 (6.2); copies of guides
// and spreadsheets differ.
struct registers {
  int per_multiprocessor = 65536, per_block = 65536, per_thread = 255, sub_partitions = 4;
};

// Shared memory: bytes per multiprocessor, per block that opts in, granularity, reserved bytes.
// Registers are allocated to warps in units of 256.
BANKMODEL_FN residency limits_of(int shared, int opt_in, int granularity, int reserved, int threads,
                                 int blocks, const registers& register_file, source origin,
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
          .registers_per_multiprocessor = register_file.per_multiprocessor,
          .registers_per_block = register_file.per_block,
          .registers_per_thread = register_file.per_thread,
          .register_granularity = 256,
          .register_check_warps = 4,
          .sub_partitions = register_file.sub_partitions,
          .sure = sure,
          .shared_from = origin,
          .granularity_from = sources::occupancy_header,
          .residents_from = origin,
          .registers_from = register_file.per_block == 32768    ? sources::device_queries
                            : register_file.sub_partitions == 2 ? sources::occupancy_header
                                                                : origin};
}

// 1.x: a block's warps are allocated in pairs. Kernel parameters and 16 more bytes are stored
// in its shared memory; add them to a block's bytes yourself. Registers were allocated to
// blocks, not to warps, which no field expresses, so they are left out.
BANKMODEL_FN residency limits_of_1(int threads) {
  return {.shared_per_multiprocessor = 16384,
          .shared_per_block = 16384,
          .shared_per_block_opt_in = 16384,
          .shared_granularity = 512,
          .threads_per_block = 512,
          .threads_per_multiprocessor = threads,
          .warps_per_multiprocessor = threads / 32,
          .blocks_per_multiprocessor = 8,
          .warp_granularity = 2,
          .sure = confidence::high,
          .shared_from = sources::guide_4,
          .granularity_from = sources::occupancy_header,
          .residents_from = sources::guide_4};
}

// 2.x. Its registers are not in the sources of this file, so they are left out.
constexpr residency limits_of_2 = {.shared_per_multiprocessor = 49152,
                                   .shared_per_block = 49152,
                                   .shared_per_block_opt_in = 49152,
                                   .shared_granularity = 128,
                                   .threads_per_block = 1024,
                                   .threads_per_multiprocessor = 1536,
                                   .warps_per_multiprocessor = 48,
                                   .blocks_per_multiprocessor = 8,
                                   .sure = confidence::high,
                                   .shared_from = sources::guide_4,
                                   .granularity_from = sources::occupancy_header,
                                   .residents_from = sources::guide_4};

// 3.0 to 7.2: a block has up to `opt_in` bytes of shared memory, none reserved, in units of 256.
BANKMODEL_FN residency until_volta(int shared, int opt_in, int blocks,
                                   const registers& register_file = {},
                                   confidence sure = confidence::high) {
  return limits_of(shared, opt_in, 256, 0, 2048, blocks, register_file, sources::old_guides, sure);
}

// 8.0 and later: 1 KB of each block is reserved, so a block can have all other bytes, in units of
// 128 bytes.
BANKMODEL_FN residency since_ampere(int shared, int threads, int blocks,
                                    confidence sure = confidence::high) {
  return limits_of(shared, shared - 1024, 128, 1024, threads, blocks, {}, sources::guide_13, sure);
}

// Global memory has sectors of 32 bytes in lines of 128 bytes. Before 5.0 (guide 4.2, F.3.2 and
// F.4.2): half-warps in 1.x, whose transactions have 32 to 128 bytes; in 2.x loads of whole lines,
// in 3.x sectors, since loads pass by the first cache; 8 and 16 bytes per lane in two and four
// groups. 1.x has partitions of 256 bytes: 8 from 1.2 on and 6 before, on most boards. Since 10.0 a
// lane may access 32 bytes (PTX ISA 8.8, ld and st with .v8.b32 and .v4.b64).
constexpr global_memory global_memories[] = {
    {32, 128, confidence::high, sources::sectors, coalescing::sectors},
    {32, 128, confidence::high, sources::guide_4, coalescing::sectors, 128},
    {32, 128, confidence::high, sources::guide_4, coalescing::lines, 128},
    {32, 128, confidence::high, sources::guide_4, coalescing::shrinking, 0, 8, 256},
    {32, 128, confidence::high, sources::guide_4, coalescing::in_order, 0, 6, 256},
    {32, 128, confidence::high, sources::sectors, coalescing::sectors, 0, 0, 0, 32}};

// Phases of loads merge in pairs: NVIDIA's answer in the forum for 7.0 and 7.5, measured on Turing
// and Ampere; assumed for other generations since 5.0 (medium). The guide of those before has no
// merging. For stores it is untested, so they do not merge here: set merges_stores =
// merging::pairs in a copy of the record to try it. It is assumed too that matrices do not merge.
BANKMODEL_FN machine gpu(int model, const services& accesses, const special_services& special,
                         const residency& limits) {
  const bool merges = model >= 50;
  return {.made_by = vendor::nvidia,
          .model = model,
          .lanes = 32,
          .loads = accesses,
          .stores = accesses,
          .special = special,
          .merges_loads = merges ? merging::pairs : merging::none,
          .merges_sure = model >= 70 && model <= 86 ? confidence::high : confidence::medium,
          .merges_from = merges ? sources::forum_77228 : sources::guide_4,
          .bank_width = 4,
          .other_bank_width = model / 10 == 3 ? 8 : 0,
          .limits = limits,
          .global = global_memories[model >= 100  ? 5
                                    : merges      ? 0
                                    : model >= 30 ? 1
                                    : model >= 20 ? 2
                                    : model >= 12 ? 3
                                                  : 4]};
}

}  // namespace detail

}  // namespace bankmodel::nvidia

#endif
