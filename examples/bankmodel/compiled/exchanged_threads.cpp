// SPDX-License-Identifier: MIT
#include "exchanged_threads.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "code/special_reads.hpp"
#include "engine/kernel_analysis.hpp"
#include "nest/recorded_nest.hpp"

namespace compiled {

namespace {

bool is_of_warps(const operand& value) {
  if (value.is != operand::kind::special) return false;
  switch (static_cast<special>(value.value)) {
    case special::lane:
    case special::warp:
    case special::lanes_equal:
    case special::lanes_below:
    case special::lanes_up_to:
    case special::lanes_above:
    case special::lanes_from: return true;
    default: return false;
  }
}

// Of mma.sync, wmma.load, redux.sync, match.any, elect.sync and the like.
bool names_warps(const std::string& text) {
  constexpr const char* names[] = {"mma", "redux", "match", "elect", "warp"};
  return std::ranges::any_of(names, [&](const char* name) { return text.find(name) != text.npos; });
}

// What a thread gets, or when, depends on the others of its warp.
bool is_of_warps(const instruction& code) {
  switch (code.operation) {
    case opcode::warp_sync:
    case opcode::shuffle:
    case opcode::vote: return true;
    case opcode::barrier:
      if (code.operands.size() > 1 || code.only_arrives) return true;
      break;
    case opcode::access:
      if (code.memory.matrices != 0) return true;
      break;
    case opcode::unknown:
      if (code.may_access_shared || code.may_access_global || names_warps(code.description))
        return true;
      break;
    default: break;
  }
  return std::ranges::any_of(code.operands,
                             [](const operand& value) { return is_of_warps(value); });
}

operand with_exchanged_axes(operand value) {
  if (value.is != operand::kind::special) return value;
  const auto exchanged = [&] {
    switch (const auto variable = static_cast<special>(value.value)) {
      case special::thread_x: return special::thread_y;
      case special::thread_y: return special::thread_x;
      case special::threads_x: return special::threads_y;
      case special::threads_y: return special::threads_x;
      default: return variable;
    }
  };
  value.value = static_cast<std::uint64_t>(exchanged());
  return value;
}

}  // namespace

std::optional<recording> recorded_with_exchanged_threads(const kernel_code& kernel,
                                                         const launch& settings) {
  constexpr long long most_steps = 1ll << 22;
  if (settings.block.y == 1 || kernel.required_block ||
      !reads_special(kernel, {special::thread_x, special::thread_y}))
    return std::nullopt;
  kernel_code changed = kernel;
  for (code_block& block : changed.blocks)
    for (instruction& code : block.instructions) {
      if (is_of_warps(code)) return std::nullopt;
      for (operand& value : code.operands) value = with_exchanged_axes(value);
    }
  launch exchanged = settings;
  std::swap(exchanged.block.x, exchanged.block.y);
  exchanged.most_steps = std::min(exchanged.most_steps, most_steps);
  exchanged.may_stop = false;
  exchanged.tell_long_run = {};
  try {
    return recorded_block(kernel_analysis(changed), exchanged);
  } catch (const cannot_run&) {
    return std::nullopt;
  }
}

}  // namespace compiled
