// SPDX-License-Identifier: MIT
#include "prepared_kernel.hpp"

#include <algorithm>

#include "known_alignment.hpp"
#include "known_ranges.hpp"

namespace compiled {

std::optional<std::size_t> parameter_number(const kernel_code& kernel, const std::string& name) {
  const std::size_t count = kernel.parameters.size();
  for (std::size_t parameter = 0; parameter < count; ++parameter)
    if (name == kernel.parameters[parameter].name) return parameter;
  for (std::size_t parameter = 0; parameter < count; ++parameter) {
    const std::string number = std::to_string(parameter);
    if (name == "p" + number || name == kernel.linkage + "_param_" + number) return parameter;
  }
  return std::nullopt;
}

const std::pair<long long, long long>* range_of_argument(const kernel_code& kernel,
                                                         const launch& settings,
                                                         const std::string& name, int parameter) {
  if (parameter < 0) return nullptr;
  const auto number = static_cast<std::size_t>(parameter);
  const bool is_whole = kernel.parameters[number].name == name;
  for (const auto& [argument, range] : settings.ranges)
    if (argument == name || (is_whole && parameter_number(kernel, argument) == number))
      return &range;
  return nullptr;
}

namespace {

// The given arguments by the number of their parameter.
std::map<std::size_t, std::uint64_t> given_arguments(const kernel_code& kernel,
                                                     const launch& settings) {
  std::map<std::size_t, std::uint64_t> result;
  for (const auto& [name, value] : settings.arguments) {
    if (const auto number = parameter_number(kernel, name)) {
      result[*number] = value;
      continue;
    }
    std::string names;
    for (const code_parameter& parameter : kernel.parameters)
      names += (names.empty() ? "" : ", ") + parameter.name;
    throw cannot_run({}, "the kernel has no argument '" + name + "'",
                     names.empty() ? "leave it out" : "its arguments are " + names);
  }
  return result;
}

// Bytes that an operand has: addresses 8, values as the instruction says.
int operand_bytes(const instruction& code, std::size_t number) {
  if (code.operation == opcode::access) return number == 0 ? 8 : std::min(code.memory.bytes, 8);
  const bool converts = code.operation == opcode::extend_signed ||
                        code.operation == opcode::extend_unsigned ||
                        (code.floating >= floating_operation::from_signed &&
                         code.floating <= floating_operation::resize);
  return std::max(1, (converts ? code.from_bits : code.bits) / 8);
}

}  // namespace

prepared_kernel::prepared_kernel(const kernel_analysis& analysis, const launch& settings,
                                 origin_table& origins, recorder& target,
                                 const made_up_memory* values)
    : analysis_(analysis),
      kernel_(analysis.kernel()),
      settings_(settings),
      shared_(laid_out(kernel_, static_cast<std::uint64_t>(settings.dynamic_shared_bytes))) {
  set_arguments(origins, values);
  const int never_written = origins.intern("a register that was never written", {});
  const known_alignment alignments(kernel_, shared_);
  // Only unknown addresses need them.
  const std::optional<known_ranges> ranges =
      settings.bounds ? std::optional<known_ranges>(std::in_place, kernel_, settings, shared_)
                      : std::nullopt;
  const needed_values& needed =
      analysis.needed(values != nullptr       ? needed_for::values
                      : settings.data.empty() ? needed_for::requests
                                              : needed_for::requests_with_data);
  int accesses = 0;
  for (const code_block& block : kernel_.blocks) {
    std::vector<step> steps;
    for (const instruction& code : block.instructions) {
      const bool only_meets = is_without_effect(code, needed);
      const int names_lanes = mask_operand(code);
      if (only_meets && names_lanes < 0) {
        if (code.operation == opcode::access) ++accesses;
        continue;
      }
      step prepared{&code, {}};
      prepared.names_lanes = names_lanes;
      prepared.only_meets = only_meets;
      for (std::size_t number = 0; number < code.operands.size(); ++number)
        prepared.operands.push_back(
            reference(code.operands[number], operand_bytes(code, number), never_written));
      // A function has arrays of its own.
      const bool has_arrays =
          shared_.total > 0 || (code.operation == opcode::unknown && code.operands.empty());
      prepared.may_be_shared = may_access_shared(code, analysis.may_be_shared()) && has_arrays;
      if (code.operation == opcode::access) {
        const low_part addresses = alignments.evaluate(code);
        prepared.shared_access = target.add(code, accesses, false, addresses);
        prepared.global_access = target.add(code, accesses, true, addresses);
        if (ranges) target.limit(prepared.shared_access, ranges->bytes_of(code));
        ++accesses;
      }
      steps.push_back(std::move(prepared));
    }
    blocks_.push_back(std::move(steps));
  }
}

void prepared_kernel::set_arguments(origin_table& origins, const made_up_memory* made_up) {
  const std::map<std::size_t, std::uint64_t> values = given_arguments(kernel_, settings_);
  std::uint64_t bytes = 0;
  for (const code_parameter& parameter : kernel_.parameters)
    bytes = std::max(bytes, static_cast<std::uint64_t>(parameter.offset + parameter.bytes));
  arguments_ = tracked_bytes(bytes, origins.intern("a part of the arguments that has no name", {}));
  for (std::size_t number = 0; number < kernel_.parameters.size(); ++number) {
    const code_parameter& parameter = kernel_.parameters[number];
    const auto offset = static_cast<std::uint64_t>(parameter.offset);
    std::optional<std::uint64_t> value;
    if (parameter.is_pointer) value = global_base(number);
    if (const auto entry = values.find(number); entry != values.end()) value = entry->second;
    if (value && parameter.bytes <= 8) {
      arguments_.store(offset, parameter.bytes, *value);
    } else if (parameter.bytes > 8 ||
               offset + static_cast<std::uint64_t>(parameter.bytes) > bytes ||
               arguments_.load(offset, parameter.bytes).origin != no_origin) {
      if (made_up != nullptr) {
        const auto size = static_cast<std::uint64_t>(parameter.bytes);
        for (std::uint64_t first = 0; first < size && offset + first < bytes; first += 8) {
          const auto part =
              static_cast<int>(std::min({std::uint64_t{8}, size - first, bytes - offset - first}));
          if (arguments_.load(offset + first, part).origin != no_origin)
            arguments_.store(offset + first, part, made_up->argument(number, first, part));
        }
        continue;
      }
      // A member of a structure of 8 bytes may have its value already.
      const int origin =
          origins.intern("the argument '" + parameter.name + "'", {}, parameter.name);
      arguments_.forget(offset, static_cast<std::uint64_t>(parameter.bytes), origin);
    }
  }
}

operand_reference prepared_kernel::reference(const operand& source, int bytes, int never_written) {
  using table = operand_reference::table;
  switch (source.is) {
    case operand::kind::reg: return {table::registers, static_cast<int>(source.value)};
    case operand::kind::special:
      uses_special_[source.value] = true;
      return {table::specials, static_cast<int>(source.value)};
    default: break;
  }
  const auto [entry, is_new] = fixed_numbers_.emplace(
      std::make_tuple(source.is, source.value, bytes), static_cast<int>(fixed_.size()));
  if (is_new) {
    tracked_bytes::content content;
    switch (source.is) {
      case operand::kind::constant: content.value = source.value; break;
      case operand::kind::shared_array:
        content.value = shared_window + shared_.first.at(source.value);
        break;
      case operand::kind::global_array:
        content.value = global_base(kernel_.parameters.size() + source.value);
        break;
      case operand::kind::argument_bytes:
        content.origin = never_written;
        if (source.value + static_cast<unsigned>(bytes) <= arguments_.size())
          content = arguments_.load(source.value, bytes);
        break;
      default: content.origin = never_written;
    }
    fixed_values values;
    values.value.assign(most_lanes, content.value);
    if (content.origin != no_origin) {
      values.unknown = ~std::uint64_t{0};
      values.origin = content.origin;
    }
    fixed_.push_back(std::move(values));
  }
  return {table::fixed, entry->second};
}

}  // namespace compiled
