// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MODEL_OCCUPANCY_HPP
#define BANKMODEL_MODEL_OCCUPANCY_HPP

#include <bankmodel/model/machine.hpp>

// Occupancy: how many blocks are resident per multiprocessor, and which resource limits it.
// Padding costs shared memory, so it can cost blocks: a Jetson TX2 (sm_62) holds 16 blocks of
// 128 threads with 4096 bytes each, but 15 with 4224 bytes.
//
// Source of the rules: cuda_occupancy.h of CUDA 13.0; tests/model/occupancy_cuda.cpp compares with
// it. Assumed: the multiprocessor gives shared memory its largest carve-out (a launch may have
// to request it), a block has one barrier, and neither clusters nor partitioned caching of
// global memory (an option of 5.2 to 6.2) are used.
namespace bankmodel {

// The resources of one block.
struct block_resources {
  int threads = 0;
  // All its arrays, static and dynamic, without the bytes that the system reserves.
  long long shared_bytes = 0;
  // As ptxas and cudaFuncGetAttributes print them; 0: unknown, no limit.
  int registers_per_thread = 0;
  bool operator==(const block_resources&) const = default;
};

// The resource that prevents one more block. If several do, the first of this list is reported.
// So shared_memory is reported only if shared memory alone is the limit: only then can fewer
// bytes mean more blocks.
enum class block_limit : unsigned char {
  block_slots,   // the multiprocessor's maximum number of blocks
  warps,         // the multiprocessor's warps
  threads,       // the multiprocessor's threads, or the block exceeds the block limit
  registers,     // the multiprocessor's registers, or the block or a thread exceeds its limit
  shared_memory  // the multiprocessor's bytes, or the block exceeds the opt-in limit
};

// The block count reported for a resource that the kernel does not use.
constexpr int unlimited_blocks = 0x7fffffff;

// The result of resident().
struct occupancy {
  int blocks = 0;  // resident on one multiprocessor; 0: a launch fails
  // Warps of these blocks; divided by limits.warps_per_multiprocessor, a profiler's occupancy.
  int warps = 0;
  block_limit limited_by = block_limit::block_slots;
  // More than shared_per_block bytes: the kernel's attribute must raise the limit.
  bool needs_opt_in = false;
  // The number of blocks that each resource alone would allow.
  int by_block_slots = 0, by_warps = 0, by_threads = 0, by_registers = 0, by_shared_memory = 0;

  // True if at least one such block can run.
  BANKMODEL_FN bool fits() const { return blocks > 0; }
  bool operator==(const occupancy&) const = default;
};

namespace rule {
[[noreturn]] BANKMODEL_FN void a_block_must_have_threads_and_nothing_negative(long long threads,
                                                                              long long bytes,
                                                                              long long registers) {
  detail::fail(__func__,
               "a block cannot have % threads, % bytes of shared memory and % registers per "
               "thread; use 1 thread or more, and 0 or more of the others",
               threads, bytes, registers);
}
[[noreturn]] BANKMODEL_FN void the_machine_must_state_its_limits(long long value) {
  detail::fail(__func__,
               "a field of this machine's .limits is %; set every field of shared memory, "
               "threads, warps and blocks to 1 or more, and shared_reserved to 0 or more",
               value);
}
[[noreturn]] BANKMODEL_FN void the_machine_must_state_its_registers(long long value) {
  detail::fail(__func__,
               "a register field of this machine's .limits is %; set all of them and "
               "sub_partitions to 1 or more, or leave out the block's registers",
               value);
}
[[noreturn]] BANKMODEL_FN void a_thread_must_have_at_most_the_registers_of_the_machine(
    long long registers, long long limit) {
  detail::fail(__func__,
               "% registers per thread exceed the machine's limit of %; use the number that ptxas "
               "prints, or 0 if it is unknown",
               registers, limit);
}
[[noreturn]] BANKMODEL_FN void so_many_blocks_must_be_able_to_be_resident(long long blocks,
                                                                          long long threads,
                                                                          long long maximum) {
  detail::fail(__func__,
               "% resident blocks of % threads are required; require 1 or more, and at most the "
               "% that fit without shared memory",
               blocks, threads, maximum);
}
}  // namespace rule

namespace detail {

// The smallest multiple of `unit` that is at least `value`.
// Requires: value >= 0, unit > 0, and the result fits in 64 bits.
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
  const long long block_bytes =
      rounded_up(bytes + limits.shared_reserved, limits.shared_granularity);
  return block_bytes == 0 ? unlimited_blocks : limits.shared_per_multiprocessor / block_bytes;
}

// Registers are allocated to whole warps, and each warp uses those of one sub-partition. In
// addition a launch is checked against the block limit, as if its warps filled all
// sub-partitions evenly.
BANKMODEL_FN long long blocks_by_registers(const machine& m, long long warps, int registers) {
  const residency& limits = m.limits;
  const int positive[] = {limits.registers_per_multiprocessor, limits.registers_per_block,
                          limits.registers_per_thread,         limits.register_granularity,
                          limits.register_check_warps,         limits.sub_partitions};
  for (const int value : positive)
    if (value < 1) rule::the_machine_must_state_its_registers(value);

  if (registers > limits.registers_per_thread)
    rule::a_thread_must_have_at_most_the_registers_of_the_machine(registers,
                                                                  limits.registers_per_thread);
  const long long of_a_warp =
      rounded_up(static_cast<long long>(registers) * m.lanes, limits.register_granularity);
  if (rounded_up(warps, limits.register_check_warps) > limits.registers_per_block / of_a_warp)
    return 0;
  return limits.registers_per_multiprocessor / limits.sub_partitions / of_a_warp *
         limits.sub_partitions / warps;
}

}  // namespace detail

// Returns how many such blocks one multiprocessor holds at a time, and the resource that limits
// them. A block may use up to shared_per_block_opt_in bytes; a block that needs to opt in is marked
// and counted as if it did. If a block exceeds a block limit, the result is 0 blocks, not an error.
// Error: the block has no threads or a negative resource; a thread has more registers than the
// machine allows (no compiler does that); the machine's record does not state its limits (those
// of registers are needed only if the block's registers are given).
// Example:
//
//   constexpr auto of_warps = resident(nvidia::sm_62, {.threads = 128, .shared_bytes = 4096});
//   static_assert(of_warps.blocks == 16 && of_warps.limited_by == block_limit::warps);
//   constexpr auto of_bytes = resident(nvidia::sm_62, {.threads = 128, .shared_bytes = 4224});
//   static_assert(of_bytes.blocks == 15 && of_bytes.limited_by == block_limit::shared_memory);
//   constexpr auto of_registers = resident(
//       nvidia::sm_62, {.threads = 128, .shared_bytes = 4096, .registers_per_thread = 37});
//   static_assert(of_registers.blocks == 12 && of_registers.limited_by == block_limit::registers);
//   constexpr auto large = resident(nvidia::sm_90, {.threads = 256, .shared_bytes = 65536});
//   static_assert(large.blocks == 3 && large.needs_opt_in);
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

  const int blocks[] = {result.by_block_slots, result.by_warps, result.by_threads,
                        result.by_registers, result.by_shared_memory};
  int fewest = 0;
  for (int limit = 1; limit < 5; ++limit)
    if (blocks[limit] < blocks[fewest]) fewest = limit;
  result.blocks = blocks[fewest];
  result.warps = result.blocks * warps;
  result.limited_by = static_cast<block_limit>(fewest);
  result.needs_opt_in = block.shared_bytes > limits.shared_per_block;
  return result;
}

// Returns the most bytes of shared memory that a block may use so that at least `blocks` of
// them are resident; at most shared_per_block_opt_in. (To avoid opting in, take the smaller of
// this and shared_per_block.)
// Error: blocks < 1, or more than fit without any shared memory; the errors of resident().
// Example:
//
//   static_assert(largest_shared_bytes(nvidia::sm_90, 256, 8) == (228 / 8.0 - 1) * 1024);
//   static_assert(largest_shared_bytes(nvidia::sm_90, 256, 1) == 232448);
BANKMODEL_FN long long largest_shared_bytes(const machine& m, int threads, int blocks,
                                            int registers_per_thread = 0) {
  const int maximum = resident(m, {threads, 0, registers_per_thread}).blocks;
  if (blocks < 1 || blocks > maximum)
    rule::so_many_blocks_must_be_able_to_be_resident(blocks, threads, maximum);
  const residency& limits = m.limits;
  const int share = limits.shared_per_multiprocessor / blocks;
  const int bytes = share - share % limits.shared_granularity - limits.shared_reserved;
  return bytes < limits.shared_per_block_opt_in ? bytes : limits.shared_per_block_opt_in;
}

}  // namespace bankmodel

#endif
