// SPDX-License-Identifier: MIT
#include "prepared_kernel.hpp"

#include <algorithm>

#include "known_alignment.hpp"
#include "known_ranges.hpp"

namespace compiled {

std::optional<std::size_t> parameter_number(const kernel_code& kernel, const std::string& name) {
  const std::size_t count = kernel.parameters.size();
  for (std::size_t at = 0; at < count; ++at)
    if (name == kernel.parameters[at].name) return at;
  for (std::size_t at = 0; at < count; ++at) {
    const std::string number = std::to_string(at);
    if (name == "p" + number || name == kernel.linkage + "_param_" + number) return at;
  }
  return std::nullopt;
}

const std::pair<long long, long long>* range_of_argument(const kernel_code& kernel,
                                                         const launch& how, const std::string& name,
                                                         int parameter) {
  if (parameter < 0) return nullptr;
  const auto number = static_cast<std::size_t>(parameter);
  const bool is_whole = kernel.parameters[number].name == name;
  for (const auto& [given, range] : how.ranges)
    if (given == name || (is_whole && parameter_number(kernel, given) == number)) return &range;
  return nullptr;
}

namespace {

// The given arguments by the number of their parameter.
std::map<std::size_t, std::uint64_t> given_arguments(const kernel_code& kernel, const launch& how) {
  std::map<std::size_t, std::uint64_t> result;
  for (const auto& [name, value] : how.arguments) {
    if (const auto number = parameter_number(kernel, name)) {
      result[*number] = value;
      continue;
    }
    std::string all;
    for (const code_parameter& one : kernel.parameters) all += (all.empty() ? "" : ", ") + one.name;
    throw cannot_run({}, "the kernel has no argument '" + name + "'",
                     all.empty() ? "leave it out" : "its arguments are " + all);
  }
  return result;
}

// Bytes that an operand has: addresses 8, values as the instruction says.
int operand_bytes(const instruction& of, std::size_t number) {
  if (of.does == opcode::access) return number == 0 ? 8 : std::min(of.memory.bytes, 8);
  const bool converts =
      of.does == opcode::extend_signed || of.does == opcode::extend_unsigned ||
      (of.floating >= floating_operation::from_signed && of.floating <= floating_operation::resize);
  return std::max(1, (converts ? of.from_bits : of.bits) / 8);
}

}  // namespace

prepared_kernel::prepared_kernel(const kernel_analysis& analysis, const launch& how,
                                 origin_table& origins, recorder& to)
    : analysis_(analysis),
      kernel_(analysis.kernel()),
      how_(how),
      shared_(laid_out(kernel_, static_cast<std::uint64_t>(how.dynamic_shared_bytes))) {
  set_arguments(origins);
  const int never_written = origins.of("a register that was never written", {});
  const known_alignment alignments(kernel_, shared_);
  // Only unknown addresses need them.
  const std::optional<known_ranges> ranges =
      how.bounds ? std::optional<known_ranges>(std::in_place, kernel_, how, shared_) : std::nullopt;
  const needed_values& needed = analysis.needed(!how.data.empty());
  int accesses = 0;
  for (const code_block& block : kernel_.blocks) {
    std::vector<step> steps;
    for (const instruction& one : block.instructions) {
      const bool only_meets = is_without_effect(one, needed);
      const int names_lanes = mask_operand(one);
      if (only_meets && names_lanes < 0) {
        if (one.does == opcode::access) ++accesses;
        continue;
      }
      step made{&one, {}};
      made.names_lanes = names_lanes;
      made.only_meets = only_meets;
      for (std::size_t at = 0; at < one.from.size(); ++at)
        made.from.push_back(reference(one.from[at], operand_bytes(one, at), never_written));
      // A function has arrays of its own.
      const bool has_arrays =
          shared_.total > 0 || (one.does == opcode::unknown && one.from.empty());
      made.may_be_shared = may_access_shared(one, analysis.may_be_shared()) && has_arrays;
      if (one.does == opcode::access) {
        const low_part addresses = alignments.of(one);
        made.shared_access = to.add(one, accesses, false, addresses);
        made.global_access = to.add(one, accesses, true, addresses);
        if (ranges) to.limit(made.shared_access, ranges->bytes_of(one));
        ++accesses;
      }
      steps.push_back(std::move(made));
    }
    blocks_.push_back(std::move(steps));
  }
}

void prepared_kernel::set_arguments(origin_table& origins) {
  const std::map<std::size_t, std::uint64_t> given = given_arguments(kernel_, how_);
  std::uint64_t bytes = 0;
  for (const code_parameter& one : kernel_.parameters)
    bytes = std::max(bytes, static_cast<std::uint64_t>(one.offset + one.bytes));
  arguments_ = tracked_bytes(bytes, origins.of("a part of the arguments that has no name", {}));
  for (std::size_t number = 0; number < kernel_.parameters.size(); ++number) {
    const code_parameter& one = kernel_.parameters[number];
    const auto at = static_cast<std::uint64_t>(one.offset);
    std::optional<std::uint64_t> value;
    if (one.is_pointer) value = global_base(number);
    if (const auto found = given.find(number); found != given.end()) value = found->second;
    if (value && one.bytes <= 8) {
      arguments_.store(at, one.bytes, *value);
    } else if (one.bytes > 8 || at + static_cast<std::uint64_t>(one.bytes) > bytes ||
               arguments_.load(at, one.bytes).origin != no_origin) {
      // A member of a structure of 8 bytes may have its value already.
      const int origin = origins.of("the argument '" + one.name + "'", {}, one.name);
      arguments_.forget(at, static_cast<std::uint64_t>(one.bytes), origin);
    }
  }
}

operand_reference prepared_kernel::reference(const operand& to, int bytes, int never_written) {
  using table = operand_reference::table;
  switch (to.is) {
    case operand::kind::reg: return {table::registers, static_cast<int>(to.value)};
    case operand::kind::special:
      uses_special_[to.value] = true;
      return {table::specials, static_cast<int>(to.value)};
    default: break;
  }
  const auto [at, is_new] = fixed_numbers_.emplace(std::make_tuple(to.is, to.value, bytes),
                                                   static_cast<int>(fixed_.size()));
  if (is_new) {
    tracked_bytes::content content;
    switch (to.is) {
      case operand::kind::constant: content.value = to.value; break;
      case operand::kind::shared_array:
        content.value = shared_window + shared_.first.at(to.value);
        break;
      case operand::kind::global_array:
        content.value = global_base(kernel_.parameters.size() + to.value);
        break;
      case operand::kind::argument_bytes:
        content.origin = never_written;
        if (to.value + static_cast<unsigned>(bytes) <= arguments_.size())
          content = arguments_.load(to.value, bytes);
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
  return {table::fixed, at->second};
}

}  // namespace compiled
