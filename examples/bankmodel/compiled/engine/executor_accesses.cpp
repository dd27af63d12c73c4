// SPDX-License-Identifier: MIT
// Accesses to memory: which memory.
#include <algorithm>
#include <array>

#include "executor.hpp"

namespace compiled {

namespace {

using addresses = std::array<std::uint64_t, most_lanes>;

// An address in a memory with a window: its distance from the window. Without a window, an address
// of 32 bits wraps around.
std::uint64_t within(std::uint64_t value, long long offset, std::uint64_t window) {
  const std::uint64_t sum = value + static_cast<std::uint64_t>(offset);
  if ((sum & window_mask) == window) return sum & ~window_mask;
  return value <= low_bits(32) ? sum & low_bits(32) : sum;
}

// The lanes that give addresses: eight for each matrix.
std::uint64_t addressing(const memory_access& memory, std::uint64_t active) {
  return memory.matrices > 0 ? active & low_bits(8 * memory.matrices) : active;
}

}  // namespace

void executor::access(warp& of, const step& one, std::uint64_t active) {
  const instruction& does = *one.does;
  const memory_access& memory = does.memory;
  const std::uint64_t lanes = addressing(memory, active);
  const lane_values given = operand_of(of, one, 0);
  const std::uint64_t unknown = given.unknown & lanes;
  const bool in_shared = is_shared_only(memory);
  const bool is_own =
      memory.memory == memory_kind::local || memory.memory == memory_kind::arguments;
  if (unknown != 0 && !is_own && must_be_given(given.origin))
    depends(does.where, "an address", given.origin, "");
  if (unknown != 0 && memory.may_be_of_cluster)
    return access_another_block(of, one, lanes, given.value, given.unknown, given.origin);
  if (unknown != 0 && (in_shared || one.may_be_shared) && how_.bounds) {
    access_unknown_shared(of, one, lanes, given.origin);
    if (memory.does == access_does::copy) copy_global(of, one, active);
    return forget_results(of, does, active, given.origin);
  }
  if (unknown != 0 && (in_shared || one.may_be_shared)) {
    const std::string subject =
        in_shared ? "the address" : "the address, which may be in shared memory,";
    depends(does.where, subject, given.origin,
            "its bank conflicts are decided by the data; give --bounds for the least and the most "
            "that it can cost, or --assume for a branch around it",
            missing_fact::kind::address);
  }
  addresses at{};
  std::uint64_t shared = 0, local = 0, global = 0;
  for_each_lane(lanes & ~unknown, [&](int lane) {
    const auto of_lane = static_cast<std::size_t>(lane);
    const std::uint64_t bit = std::uint64_t{1} << lane;
    std::uint64_t window = shared_window;
    at[of_lane] = given[lane] + static_cast<std::uint64_t>(memory.offset);
    if (in_shared)
      shared |= bit;
    else if (memory.memory == memory_kind::local)
      local |= bit;
    else if (memory.memory != memory_kind::generic)
      global |= bit;
    else if ((at[of_lane] & window_mask) == shared_window)
      shared |= bit;
    else if ((at[of_lane] & window_mask) == local_window)
      local |= bit;
    else
      global |= bit;
    if (has(local, lane)) window = local_window;
    if (memory.memory == memory_kind::arguments) window = argument_window;
    if (!has(global, lane) || memory.memory == memory_kind::arguments)
      at[of_lane] = within(given[lane], memory.offset, window);
  });
  if (memory.memory == memory_kind::local)
    return access_local(of, one, local, unknown, given.origin, at.data());
  if (memory.memory == memory_kind::arguments) {
    return load_argument(of, one, global, unknown, at.data());
  }
  if (memory.does == access_does::copy) {
    access_shared(of, one, shared, at.data(), source_of(of, one, active));
    return copy_global(of, one, active);
  }
  if (shared != 0) access_shared(of, one, shared, at.data());
  if (local != 0) access_local(of, one, local, 0, given.origin, at.data());
  if (unknown != 0) {
    const unknown_base base = base_of(of, one, 0);
    if (unknown == lanes && (lanes & ~base.lanes) == 0) {
      for_each_lane(lanes, [&](int lane) {
        at[static_cast<std::size_t>(lane)] =
            given[lane] + static_cast<std::uint64_t>(memory.offset);
      });
      return access_global(of, one, 0, lanes, given.origin, at.data(), &base);
    }
  }
  if ((global | unknown) != 0) access_global(of, one, global, unknown, given.origin, at.data());
  // Lanes that give no address of a row receive elements all the same.
  if (lanes != active)
    forget_results(of, does, active, origins_.of("a matrix that ldmatrix loads", does.where));
}

std::string executor::thread_of(const warp& of, int lane) const {
  const long long thread = 1ll * of.number * kernel_.lanes + lane;
  const bm::block_dim& block = how_.block;
  return "thread (" + std::to_string(thread % block.x) + ", " +
         std::to_string(thread / block.x % block.y) + ", " +
         std::to_string(thread / block.x / block.y) + ")";
}

}  // namespace compiled
