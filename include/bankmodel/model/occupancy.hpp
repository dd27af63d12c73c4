// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MODEL_OCCUPANCY_HPP
#define BANKMODEL_MODEL_OCCUPANCY_HPP

#include <bankmodel/model/machine.hpp>

// How many blocks of a kernel are resident on one multiprocessor at a time, and what keeps out one
// more. Padding costs shared memory, so it can cost blocks: of 128 threads with 4096 bytes a
// Jetson TX2 holds 16, with 4224 bytes 15.
//
// Source of the rules: cuda_occupancy.h of CUDA 13.0, with which tests/occupancy_cuda.cpp
// compares. Taken for granted: the multiprocessor gives shared memory all that it can (the largest
// carve-out, which a launch may have to ask for), a block has one barrier, and neither clusters
// nor partitioned caching of global memory (an option of 5.2 to 6.2) are used.
namespace bankmodel {

// What one block takes.
struct block_resources {
  int threads = 0;
  // of all its arrays, static and dynamic, without what the system reserves
  long long shared_bytes = 0;
  // as ptxas and cudaFuncGetAttributes print them; 0: not known, and no limit
  int registers_per_thread = 0;
  bool operator==(const block_resources&) const = default;
};

// What keeps out one more block. Where several do, the first of them here is named, so
// shared_memory stands for shared memory alone: only then can fewer bytes mean more blocks.
enum class block_limit : unsigned char {
  block_slots,   // as many as a multiprocessor takes of any size
  warps,         // of a multiprocessor
  threads,       // of a multiprocessor, or the block has more than one may have
  registers,     // of a multiprocessor, or the block or a thread has more than one may have
  shared_memory  // of a multiprocessor, or the block has more than one may have by opting in
};

// The number of blocks that a resource allows which they do not take.
constexpr int unlimited_blocks = 0x7fffffff;

// What resident() finds.
struct occupancy {
  int blocks = 0;  // resident on one multiprocessor; 0: a launch fails
  // of these blocks; over machine.limits.warps_per_multiprocessor it is what profilers call
  // occupancy
  int warps = 0;
  block_limit limited_by = block_limit::block_slots;
  // more bytes than shared_per_block: the kernel's attribute must raise its limit
  bool needs_opt_in = false;
  // How many blocks each would allow alone.
  int by_block_slots = 0, by_warps = 0, by_threads = 0, by_registers = 0, by_shared_memory = 0;

  // Whether one such block runs at all.
  BANKMODEL_FN bool fits() const { return blocks > 0; }
  bool operator==(const occupancy&) const = default;
};

namespace rule {
[[noreturn]] BANKMODEL_FN void a_block_must_have_threads_and_nothing_negative(long long threads,
                                                                              long long bytes,
                                                                              long long registers) {
  detail::fail(__func__,
               "a block of % threads with % bytes of shared memory and % registers a thread; it "
               "must have 1 thread or more, and 0 or more "
               "of the others",
               threads, bytes, registers);
}
[[noreturn]] BANKMODEL_FN void the_machine_must_state_its_limits(long long value) {
  detail::fail(__func__,
               "a field of this machine's .limits is %; set each that concerns shared memory, "
               "threads, warps and blocks to 1 or more, "
               "shared_reserved to 0 or more",
               value);
}
[[noreturn]] BANKMODEL_FN void the_machine_must_state_its_registers(long long value) {
  detail::fail(__func__,
               "a field of this machine's .limits that concerns registers is %; set each of them, "
               "and sub_partitions, to 1 or more, or "
               "leave out the registers of the block",
               value);
}
[[noreturn]] BANKMODEL_FN void so_many_blocks_must_be_able_to_be_resident(long long blocks,
                                                                          long long threads,
                                                                          long long most) {
  detail::fail(__func__,
               "shared memory is wanted for % resident blocks of % threads; ask for 1 or more, and "
               "at most the % that fit without any",
               blocks, threads, most);
}
}  // namespace rule

namespace detail {

// Required: value is not negative, unit is positive, and the result fits.
BANKMODEL_FN long long rounded_up(long long value, long long unit) {
  return (value + unit - 1) / unit * unit;
}

BANKMODEL_FN void require_limits(const residency& limits) {
  const int positive[] = {limits.shared_per_multiprocessor, limits.shared_per_block,
                          limits.shared_per_block_opt_in,   limits.shared_granularity,
                          limits.threads_per_block,         limits.threads_per_multiprocessor,
                          limits.warps_per_multiprocessor,  limits.blocks_per_multiprocessor,
                          limits.warp_granularity};
  for (const int value : positive)
    if (value < 1) rule::the_machine_must_state_its_limits(value);
  if (limits.shared_reserved < 0) rule::the_machine_must_state_its_limits(limits.shared_reserved);
}

BANKMODEL_FN long long blocks_by_shared_memory(const residency& limits, long long bytes) {
  if (bytes > limits.shared_per_block_opt_in) return 0;
  const long long taken = rounded_up(bytes + limits.shared_reserved, limits.shared_granularity);
  return taken == 0 ? unlimited_blocks : limits.shared_per_multiprocessor / taken;
}

// Registers are given to whole warps, and each warp has its own in one sub-partition. Before that
// a launch is held against what a block may have, as if its warps filled all sub-partitions alike.
BANKMODEL_FN long long blocks_by_registers(const machine& m, long long warps, int registers) {
  const residency& limits = m.limits;
  const int positive[] = {limits.registers_per_multiprocessor, limits.registers_per_block,
                          limits.registers_per_thread,         limits.register_granularity,
                          limits.register_check_warps,         limits.sub_partitions};
  for (const int value : positive)
    if (value < 1) rule::the_machine_must_state_its_registers(value);

  if (registers > limits.registers_per_thread) return 0;
  const long long of_a_warp =
      rounded_up(static_cast<long long>(registers) * m.lanes, limits.register_granularity);
  if (rounded_up(warps, limits.register_check_warps) > limits.registers_per_block / of_a_warp)
    return 0;
  return limits.registers_per_multiprocessor / limits.sub_partitions / of_a_warp *
         limits.sub_partitions / warps;
}

}  // namespace detail

// The blocks of that kind that one multiprocessor holds at a time, and what limits them. A block
// may have the bytes of shared_per_block_opt_in; one that needs to opt in is counted as if it had,
// and marked. More, or more threads or registers than a block may have, is an answer and no error:
// 0 blocks.
//
//   resident(nvidia::sm_62, {.threads = 128, .shared_bytes = 4096})
//   16 blocks (warps, and shared memory)
//   resident(nvidia::sm_62, {.threads = 128, .shared_bytes = 4224})
//   15 blocks, 60 warps (shared memory)
//   resident(nvidia::sm_62, {.threads = 128, .shared_bytes = 4096, .registers_per_thread = 37})
//   12 blocks (registers)
//   resident(nvidia::sm_90, {.threads = 256, .shared_bytes = 65536})
//   3 blocks, needs to opt in
//
// Refused: a block without threads or with negative resources; a machine that does not state its
// limits (those of registers only where the block's are given).
BANKMODEL_FN occupancy resident(const machine& m, const block_resources& block) {
  m.require_valid();
  const residency& limits = m.limits;
  detail::require_limits(limits);
  if (block.threads < 1 || block.shared_bytes < 0 || block.registers_per_thread < 0)
    rule::a_block_must_have_threads_and_nothing_negative(block.threads, block.shared_bytes,
                                                         block.registers_per_thread);

  const int warps = (block.threads - 1) / m.lanes + 1;
  occupancy result;
  result.by_block_slots = warps == 1 && limits.blocks_of_one_warp != 0
                              ? limits.blocks_of_one_warp
                              : limits.blocks_per_multiprocessor;
  result.by_warps = static_cast<int>(limits.warps_per_multiprocessor /
                                     detail::rounded_up(warps, limits.warp_granularity));
  result.by_threads = block.threads > limits.threads_per_block
                          ? 0
                          : limits.threads_per_multiprocessor / block.threads;
  result.by_registers =
      block.registers_per_thread == 0
          ? unlimited_blocks
          : static_cast<int>(detail::blocks_by_registers(m, warps, block.registers_per_thread));
  result.by_shared_memory =
      static_cast<int>(detail::blocks_by_shared_memory(limits, block.shared_bytes));

  const int each[] = {result.by_block_slots, result.by_warps, result.by_threads,
                      result.by_registers, result.by_shared_memory};
  int fewest = 0;
  for (int limit = 1; limit < 5; ++limit)
    if (each[limit] < each[fewest]) fewest = limit;
  result.blocks = each[fewest];
  result.warps = result.blocks * warps;
  result.limited_by = static_cast<block_limit>(fewest);
  result.needs_opt_in = block.shared_bytes > limits.shared_per_block;
  return result;
}

// The inverse: the most bytes of shared memory, at most shared_per_block_opt_in, that a block may
// have so that at least `blocks` of them are resident. (Who does not want to opt in takes the
// smaller of this and shared_per_block.)
//
//   largest_shared_bytes(nvidia::sm_90, 256, 8)   28160: an eighth of 228 KiB, less the KiB that
//   the system takes
//   largest_shared_bytes(nvidia::sm_90, 256, 1)   232448
//
// Refused: less than one block, more blocks than fit without any shared memory, and what
// resident() refuses.
BANKMODEL_FN long long largest_shared_bytes(const machine& m, int threads, int blocks,
                                            int registers_per_thread = 0) {
  const int most = resident(m, {threads, 0, registers_per_thread}).blocks;
  if (blocks < 1 || blocks > most)
    rule::so_many_blocks_must_be_able_to_be_resident(blocks, threads, most);
  const residency& limits = m.limits;
  const int share = limits.shared_per_multiprocessor / blocks;
  const int bytes = share - share % limits.shared_granularity - limits.shared_reserved;
  return bytes < limits.shared_per_block_opt_in ? bytes : limits.shared_per_block_opt_in;
}

}  // namespace bankmodel

#endif
