// SPDX-License-Identifier: MIT
#include "stored_arrays.hpp"

namespace compiled {

namespace {

// A result that may be an address that one of the operands is.
bool may_keep_address(opcode operation) {
  switch (operation) {
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
bool may_load_address(const instruction& code) {
  return code.operation == opcode::unknown ||
         (code.operation == opcode::access && code.memory.memory != memory_kind::arguments &&
          (code.memory.bytes >= 8 || code.memory.operation == access_does::atomic));
}

}  // namespace

pointed_arrays::pointed_arrays(const kernel_code& kernel)
    : kernel_(kernel), registers_(static_cast<std::size_t>(kernel.registers)) {
  find_arrays();
  // The difference of two addresses is none. Those of this first round are all that there may be.
  for (const code_block& block : kernel.blocks)
    for (const instruction& code : block.instructions)
      if (is_distance(code)) distances_.insert(&code);
  if (!distances_.empty()) {
    registers_.assign(registers_.size(), {});
    find_arrays();
  }
  find_any();
}

std::optional<std::set<int>> pointed_arrays::find(const operand& address) const {
  std::set<int> result;
  add_arrays(address, result);
  const pointed* const known = of_register(address);
  if (result.empty() || (known != nullptr && known->may_be_any)) return std::nullopt;
  return result;
}

const pointed_arrays::pointed* pointed_arrays::of_register(const operand& source) const {
  return source.is == operand::kind::reg ? &registers_[source.value] : nullptr;
}

void pointed_arrays::add_arrays(const operand& source, std::set<int>& result) const {
  const auto parameters = static_cast<int>(kernel_.parameters.size());
  if (const pointed* const known = of_register(source)) {
    result.insert(known->arrays.begin(), known->arrays.end());
  } else if (source.is == operand::kind::global_array) {
    result.insert(parameters + static_cast<int>(source.value));
  } else if (source.is == operand::kind::argument_bytes) {
    add_argument(source.value, result);
  }
}

void pointed_arrays::add_argument(std::uint64_t offset, std::set<int>& result) const {
  for (std::size_t number = 0; number < kernel_.parameters.size(); ++number) {
    const code_parameter& parameter = kernel_.parameters[number];
    if (parameter.is_pointer && static_cast<std::uint64_t>(parameter.offset) == offset)
      result.insert(static_cast<int>(number));
  }
}

// Of a load from the arguments: one at a place that is not fixed may be any of their pointers.
void pointed_arrays::add_loaded(const instruction& code, std::set<int>& result) const {
  if (code.operation != opcode::access || code.memory.memory != memory_kind::arguments ||
      code.memory.bytes < 8 || code.operands.empty())
    return;
  const auto first = static_cast<std::uint64_t>(code.memory.offset);
  for (int element = 0; element < code.memory.elements; ++element)
    if (code.operands[0].is == operand::kind::constant)
      add_argument((code.operands[0].value & ~window_mask) + first +
                       static_cast<std::uint64_t>(element * code.memory.bytes),
                   result);
  if (code.operands[0].is == operand::kind::constant) return;
  for (const code_parameter& parameter : kernel_.parameters)
    add_argument(static_cast<std::uint64_t>(parameter.offset), result);
}

bool pointed_arrays::is_distance(const instruction& code) const {
  if (code.operation != opcode::subtract || code.operands.size() != 2) return false;
  std::set<int> first, second;
  add_arrays(code.operands[0], first);
  add_arrays(code.operands[1], second);
  return !first.empty() && !second.empty();
}

void pointed_arrays::find_arrays() {
  for (bool changed = true; changed;) {
    changed = false;
    for (const code_block& block : kernel_.blocks)
      for (const instruction& code : block.instructions) {
        const bool keeps = may_keep_address(code.operation) && distances_.count(&code) == 0;
        for (const int target : code.results) {
          std::set<int>& arrays = registers_[slot(target)].arrays;
          const std::size_t previous = arrays.size();
          add_loaded(code, arrays);
          if (keeps)
            for (const operand& source : code.operands) add_arrays(source, arrays);
          changed = changed || arrays.size() != previous;
        }
      }
  }
}

void pointed_arrays::find_any() {
  const auto may_be_any = [&](const operand& source) {
    const pointed* const known = of_register(source);
    return known != nullptr && known->may_be_any;
  };
  const auto is_in_array = [&](const operand& address) {
    std::set<int> arrays;
    add_arrays(address, arrays);
    return !arrays.empty();
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const code_block& block : kernel_.blocks)
      for (const instruction& code : block.instructions) {
        bool is_any = may_load_address(code);
        if (may_keep_address(code.operation)) {
          // A value that is added to an address is a distance, even if it was loaded.
          const bool is_sum = code.operation == opcode::add && code.operands.size() == 2;
          const bool first = is_sum && is_in_array(code.operands[0]),
                     second = is_sum && is_in_array(code.operands[1]);
          for (std::size_t number = 0; number < code.operands.size(); ++number)
            if (may_be_any(code.operands[number]) && !(number == 0 && second && !first) &&
                !(number == 1 && first && !second))
              is_any = true;
        }
        if (!is_any) continue;
        for (const int target : code.results) {
          bool& flag = registers_[slot(target)].may_be_any;
          changed = changed || !flag;
          flag = true;
        }
      }
  }
}

std::optional<std::set<int>> stored_arrays(const kernel_code& kernel) {
  const pointed_arrays pointed(kernel);
  std::set<int> result;
  for (const code_block& block : kernel.blocks)
    for (const instruction& code : block.instructions) {
      const memory_access& memory = code.memory;
      const bool is_global =
          memory.memory == memory_kind::global || memory.memory == memory_kind::generic;
      const bool stores =
          memory.operation == access_does::store || memory.operation == access_does::atomic;
      if (code.operation != opcode::access || !is_global || !stores) continue;
      const auto arrays = code.operands.empty() ? std::nullopt : pointed.find(code.operands[0]);
      if (!arrays) return std::nullopt;
      result.insert(arrays->begin(), arrays->end());
    }
  return result;
}

}  // namespace compiled
