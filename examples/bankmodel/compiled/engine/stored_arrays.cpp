// SPDX-License-Identifier: MIT
#include "stored_arrays.hpp"

#include <algorithm>

namespace compiled {

namespace {

// A result that may be an address that one of the operands is.
bool may_keep_address(opcode does) {
  switch (does) {
    case opcode::move:
    case opcode::add:
    case opcode::subtract:
    case opcode::bit_and:
    case opcode::bit_or:
    case opcode::bit_xor:
    case opcode::shift_left:
    case opcode::shift_right_signed:
    case opcode::shift_right_unsigned:
    case opcode::funnel_left:
    case opcode::funnel_right:
    case opcode::minimum_signed:
    case opcode::minimum_unsigned:
    case opcode::maximum_signed:
    case opcode::maximum_unsigned:
    case opcode::insert:
    case opcode::permute:
    case opcode::extend_signed:
    case opcode::extend_unsigned:
    case opcode::select:
    case opcode::shuffle: return true;
    default: return false;
  }
}

// A value of 4 bytes alone is no address.
bool may_load_address(const instruction& one) {
  return one.does == opcode::unknown ||
         (one.does == opcode::access && one.memory.memory != memory_kind::arguments &&
          (one.memory.bytes >= 8 || one.memory.does == access_does::atomic));
}

}  // namespace

pointed_arrays::pointed_arrays(const kernel_code& kernel)
    : kernel_(kernel), registers_(static_cast<std::size_t>(kernel.registers)) {
  find_arrays();
  // The difference of two addresses is none. Those of this first round are all that there may be.
  for (const code_block& block : kernel.blocks)
    for (const instruction& one : block.instructions)
      if (is_distance(one)) distances_.insert(&one);
  if (!distances_.empty()) {
    registers_.assign(registers_.size(), {});
    find_arrays();
  }
  find_any();
}

std::optional<std::set<int>> pointed_arrays::of(const operand& address) const {
  std::set<int> result;
  add_arrays(address, result);
  const pointed* const from = of_register(address);
  if (result.empty() || (from != nullptr && from->may_be_any)) return std::nullopt;
  return result;
}

const pointed_arrays::pointed* pointed_arrays::of_register(const operand& one) const {
  return one.is == operand::kind::reg ? &registers_[one.value] : nullptr;
}

void pointed_arrays::add_arrays(const operand& one, std::set<int>& to) const {
  const auto parameters = static_cast<int>(kernel_.parameters.size());
  if (const pointed* const from = of_register(one)) {
    to.insert(from->arrays.begin(), from->arrays.end());
  } else if (one.is == operand::kind::global_array) {
    to.insert(parameters + static_cast<int>(one.value));
  } else if (one.is == operand::kind::argument_bytes) {
    add_argument(one.value, to);
  }
}

void pointed_arrays::add_argument(std::uint64_t at, std::set<int>& to) const {
  for (std::size_t number = 0; number < kernel_.parameters.size(); ++number) {
    const code_parameter& one = kernel_.parameters[number];
    if (one.is_pointer && static_cast<std::uint64_t>(one.offset) == at)
      to.insert(static_cast<int>(number));
  }
}

// Of a load from the arguments: one at a place that is not fixed may be any of their pointers.
void pointed_arrays::add_loaded(const instruction& one, std::set<int>& to) const {
  if (one.does != opcode::access || one.memory.memory != memory_kind::arguments ||
      one.memory.bytes < 8 || one.from.empty())
    return;
  const auto first = static_cast<std::uint64_t>(one.memory.offset);
  for (int element = 0; element < one.memory.elements; ++element)
    if (one.from[0].is == operand::kind::constant)
      add_argument((one.from[0].value & ~window_mask) + first +
                       static_cast<std::uint64_t>(element * one.memory.bytes),
                   to);
  if (one.from[0].is == operand::kind::constant) return;
  for (const code_parameter& parameter : kernel_.parameters)
    add_argument(static_cast<std::uint64_t>(parameter.offset), to);
}

bool pointed_arrays::is_distance(const instruction& one) const {
  if (one.does != opcode::subtract || one.from.size() != 2) return false;
  std::set<int> first, second;
  add_arrays(one.from[0], first);
  add_arrays(one.from[1], second);
  return !first.empty() && !second.empty();
}

void pointed_arrays::find_arrays() {
  for (bool changed = true; changed;) {
    changed = false;
    for (const code_block& block : kernel_.blocks)
      for (const instruction& one : block.instructions) {
        const bool keeps = may_keep_address(one.does) && distances_.count(&one) == 0;
        for (const int to : one.to) {
          std::set<int>& arrays = registers_[static_cast<std::size_t>(to)].arrays;
          const std::size_t before = arrays.size();
          add_loaded(one, arrays);
          if (keeps)
            for (const operand& from : one.from) add_arrays(from, arrays);
          changed = changed || arrays.size() != before;
        }
      }
  }
}

void pointed_arrays::find_any() {
  const auto may_be_any = [&](const operand& one) {
    const pointed* const from = of_register(one);
    return from != nullptr && from->may_be_any;
  };
  const auto is_in_array = [&](const operand& one) {
    std::set<int> arrays;
    add_arrays(one, arrays);
    return !arrays.empty();
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const code_block& block : kernel_.blocks)
      for (const instruction& one : block.instructions) {
        bool is_any = may_load_address(one);
        if (may_keep_address(one.does)) {
          // A value that is added to an address is a distance, even if it was loaded.
          const bool is_sum = one.does == opcode::add && one.from.size() == 2;
          const bool first = is_sum && is_in_array(one.from[0]),
                     second = is_sum && is_in_array(one.from[1]);
          for (std::size_t at = 0; at < one.from.size(); ++at)
            if (may_be_any(one.from[at]) && !(at == 0 && second && !first) &&
                !(at == 1 && first && !second))
              is_any = true;
        }
        if (!is_any) continue;
        for (const int to : one.to) {
          bool& of = registers_[static_cast<std::size_t>(to)].may_be_any;
          changed = changed || !of;
          of = true;
        }
      }
  }
}

std::optional<std::set<int>> stored_arrays(const kernel_code& kernel) {
  const pointed_arrays pointed(kernel);
  std::set<int> result;
  for (const code_block& block : kernel.blocks)
    for (const instruction& one : block.instructions) {
      const memory_access& memory = one.memory;
      const bool is_global =
          memory.memory == memory_kind::global || memory.memory == memory_kind::generic;
      const bool stores = memory.does == access_does::store || memory.does == access_does::atomic;
      if (one.does != opcode::access || !is_global || !stores) continue;
      const auto arrays = one.from.empty() ? std::nullopt : pointed.of(one.from[0]);
      if (!arrays) return std::nullopt;
      result.insert(arrays->begin(), arrays->end());
    }
  return result;
}

}  // namespace compiled
