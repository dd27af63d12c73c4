// SPDX-License-Identifier: MIT
#include "compared_values.hpp"

#include <bankmodel/report.hpp>
#include <optional>

#include "engine/memory.hpp"

namespace compiled {

using command_line::joined;

namespace {

// The first address with a byte that only one of them stores, or that differs.
std::optional<std::uint64_t> first_difference(const made_up_memory::contents& some,
                                              const made_up_memory::contents& other) {
  std::optional<std::uint64_t> result;
  for (const auto& [address, value] : some) {
    const auto match = other.find(address);
    if ((match == other.end() || match->second != value) && (!result || address < *result))
      result = address;
  }
  return result;
}

std::string text_of_address(const kernel_code& kernel, std::uint64_t address) {
  const int array = global_number(address);
  if (array < 0) return "global memory has another value";
  const auto number = static_cast<std::size_t>(array);
  const std::size_t parameters = kernel.parameters.size();
  const std::string name = number < parameters ? kernel.parameters[number].name
                           : number - parameters < kernel.globals.size()
                               ? kernel.globals[number - parameters].name
                               : "an array";
  return joined(name, " has another value at byte ", bm::grouped(address - global_base(number)));
}

}  // namespace

value_comparison compared_values(const counted_kernel& previous, const counted_kernel& changed,
                                 long long most_steps) {
  value_comparison result;
  const auto emulated_with = [&](const counted_kernel& counted, const launch* small) {
    launch settings = counted.settings;
    if (small != nullptr) settings.arguments = small->arguments;
    return emulated(*counted.kernel, settings, most_steps);
  };
  emulated_block before = emulated_with(previous, nullptr);
  const std::optional<launch> small = with_small_arguments(*previous.kernel, previous.settings);
  result.has_small_arguments = before.is_stopped && small;
  const launch* const chosen = result.has_small_arguments ? &*small : nullptr;
  if (chosen != nullptr) before = emulated_with(previous, chosen);
  const emulated_block after = emulated_with(changed, chosen);
  result.incomplete = before.incomplete;
  if (result.incomplete.empty()) {
    // What was possible before has to be possible now; both may be near the limit of steps.
    if (after.is_stopped)
      result.incomplete = after.incomplete;
    else if (!after.incomplete.empty())
      result.difference = joined("the block cannot be run, ", after.incomplete);
  }
  if (!result.incomplete.empty() || !result.difference.empty()) return result;
  result.bytes = before.stored.size();
  std::optional<std::uint64_t> differs = first_difference(before.stored, after.stored);
  if (!differs) differs = first_difference(after.stored, before.stored);
  if (differs) result.difference = text_of_address(*previous.kernel, *differs);
  return result;
}

}  // namespace compiled
