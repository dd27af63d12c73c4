// SPDX-License-Identifier: MIT
// Accesses to memory: which memory.
#include <array>

#include "executor.hpp"

namespace compiled {

namespace {

using addresses = std::array<std::uint64_t, most_lanes>;

// An address in a memory with a window: its distance from the window. Without a window, an address
// of 32 bits wraps around.
std::uint64_t window_offset(std::uint64_t value, long long offset, std::uint64_t window) {
  const std::uint64_t sum = value + static_cast<std::uint64_t>(offset);
  if ((sum & window_mask) == window) return sum & ~window_mask;
  return value <= low_bits(32) ? sum & low_bits(32) : sum;
}

// The lanes that give addresses: eight for each matrix.
std::uint64_t addressing(const memory_access& memory, std::uint64_t active) {
  return memory.matrices > 0 ? active & low_bits(8 * memory.matrices) : active;
}

}  // namespace

void executor::access(warp& current, const step& action, std::uint64_t active) {
  const instruction& code = *action.code;
  const memory_access& memory = code.memory;
  const std::uint64_t lanes = addressing(memory, active);
  const lane_values operand = operand_of(current, action, 0);
  const std::uint64_t unknown = operand.unknown & lanes;
  const bool in_shared = is_shared_only(memory);
  const bool is_own =
      memory.memory == memory_kind::local || memory.memory == memory_kind::arguments;
  if (unknown != 0 && !is_own && must_be_given(operand.origin))
    depends(code.location, "an address", operand.origin, "");
  if (unknown != 0 && memory.may_be_of_cluster)
    return access_another_block(current, action, lanes, operand.value, operand.unknown,
                                operand.origin);
  if (unknown != 0 && (in_shared || action.may_be_shared) && settings_.bounds) {
    access_unknown_shared(current, action, lanes, operand.origin);
    if (memory.operation == access_does::copy) copy_global(current, action, active);
    return forget_results(current, code, active, operand.origin);
  }
  if (unknown != 0 && (in_shared || action.may_be_shared)) {
    const std::string subject =
        in_shared ? "the address" : "the address, which may be in shared memory,";
    depends(code.location, subject, operand.origin,
            "its bank conflicts are decided by the data; give --bounds for the least and the most "
            "that it can cost, or --assume for a branch around it",
            missing_fact::kind::address);
  }
  addresses address{};
  std::uint64_t shared = 0, local = 0, global = 0;
  for_each_lane(lanes & ~unknown, [&](int lane) {
    const auto of_lane = static_cast<std::size_t>(lane);
    const std::uint64_t bit = std::uint64_t{1} << lane;
    std::uint64_t window = shared_window;
    address[of_lane] = operand[lane] + static_cast<std::uint64_t>(memory.offset);
    if (in_shared)
      shared |= bit;
    else if (memory.memory == memory_kind::local)
      local |= bit;
    else if (memory.memory != memory_kind::generic)
      global |= bit;
    else if ((address[of_lane] & window_mask) == shared_window)
      shared |= bit;
    else if ((address[of_lane] & window_mask) == local_window)
      local |= bit;
    else
      global |= bit;
    if (has(local, lane)) window = local_window;
    if (memory.memory == memory_kind::arguments) window = argument_window;
    if (!has(global, lane) || memory.memory == memory_kind::arguments)
      address[of_lane] = window_offset(operand[lane], memory.offset, window);
  });
  if (memory.memory == memory_kind::local)
    return access_local(current, action, local, unknown, operand.origin, address.data());
  if (memory.memory == memory_kind::arguments) {
    return load_argument(current, action, global, unknown, address.data());
  }
  if (memory.operation == access_does::copy) {
    access_shared(current, action, shared, address.data(), source_of(current, action, active));
    return values_ == nullptr ? copy_global(current, action, active) : void();
  }
  if (shared != 0) access_shared(current, action, shared, address.data());
  if (local != 0) access_local(current, action, local, 0, operand.origin, address.data());
  if (unknown != 0) {
    const unknown_base base = base_of(current, action, 0);
    if (unknown == lanes && (lanes & ~base.lanes) == 0) {
      for_each_lane(lanes, [&](int lane) {
        address[slot(lane)] = operand[lane] + static_cast<std::uint64_t>(memory.offset);
      });
      return access_global(current, action, 0, lanes, operand.origin, address.data(), &base);
    }
  }
  if ((global | unknown) != 0)
    access_global(current, action, global, unknown, operand.origin, address.data());
  // Lanes that give no address of a row receive elements all the same.
  if (values_ != nullptr && memory.matrices > 0)
    return transfer_matrices(current, action, active, shared, address.data());
  if (lanes != active)
    forget_results(current, code, active,
                   origins_.intern("a matrix that ldmatrix loads", code.location));
}

std::string executor::thread_of(const warp& current, int lane) const {
  const long long thread = 1ll * current.number * kernel_.lanes + lane;
  const bm::block_dim& block = settings_.block;
  return "thread (" + std::to_string(thread % block.x) + ", " +
         std::to_string(thread / block.x % block.y) + ", " +
         std::to_string(thread / block.x / block.y) + ")";
}

}  // namespace compiled
