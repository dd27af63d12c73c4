// SPDX-License-Identifier: MIT
#include "emulation.hpp"

#include <algorithm>

#include "executor.hpp"

namespace compiled {

namespace {

// The first instruction with results that nothing decides here; null if there is none. Variables
// without a value have the same one in each run.
const instruction* without_inputs(const kernel_code& kernel) {
  for (const code_block& block : kernel.blocks)
    for (const instruction& code : block.instructions)
      if (code.operation == opcode::unknown && code.operands.empty() && !code.results.empty() &&
          code.description != "a variable without a value")
        return &code;
  return nullptr;
}

std::string reason_against(const kernel_code& kernel, const recording& recorded) {
  if (recorded.is_stopped) return "the block takes too many steps";
  if (recorded.leaves_out || recorded.leaves_out_shared)
    return "it has accesses that are not modelled";
  if (!recorded.arrays_of_units.empty()) return "units beside the warps access shared memory";
  if (const instruction* const code = without_inputs(kernel))
    return code->description + " is not modelled, " + text(kernel, code->location);
  return {};
}

}  // namespace

emulated_block emulated(const kernel_code& kernel, const launch& settings, long long most_steps) {
  launch quiet = settings;
  quiet.may_stop = true;
  quiet.most_steps = most_steps;
  quiet.tell_long_run = {};
  quiet.assume_branch = {};
  emulated_block result;
  const kernel_analysis analysis(kernel);
  made_up_memory memory(kernel, quiet);
  try {
    const recording recorded = executor(analysis, quiet, {}, &memory).run_block();
    result.incomplete = reason_against(kernel, recorded);
    result.is_stopped = recorded.is_stopped;
  } catch (const cannot_run& error) {
    result.incomplete = error.what();
  }
  result.stored = memory.stored();
  if (result.stored.empty() && result.incomplete.empty())
    result.incomplete = "it stores nothing in global memory";
  return result;
}

std::optional<launch> with_small_arguments(const kernel_code& kernel, const launch& settings) {
  constexpr std::uint64_t tile = 128, most = std::uint64_t{1} << 32;
  launch result = settings;
  bool is_smaller = false;
  for (auto& [name, value] : result.arguments) {
    const auto number = parameter_number(kernel, name);
    const bool may_end_loops = number && !kernel.parameters[*number].is_pointer &&
                               kernel.parameters[*number].holds != value_kind::floating;
    if (!may_end_loops || value < 2 * tile || value >= most) continue;
    value = tile + value % tile;
    is_smaller = true;
  }
  return is_smaller ? std::optional<launch>(std::move(result)) : std::nullopt;
}

}  // namespace compiled
