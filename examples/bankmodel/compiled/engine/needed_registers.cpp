// SPDX-License-Identifier: MIT
#include "needed_registers.hpp"

#include <algorithm>

#include "../code/control_flow.hpp"

namespace compiled {

namespace {

// Results are all that it leaves behind.
bool only_computes(const instruction& code) {
  switch (code.operation) {
    case opcode::unknown:
      return !(code.may_access_shared || code.may_access_global) && code.unit == memory_unit::warp;
    case opcode::access:
    case opcode::barrier:
    case opcode::warp_sync:
    case opcode::branch:
    case opcode::leave: return false;
    default: return true;
  }
}

bool writes_any(const instruction& code, const std::vector<bool>& registers) {
  return std::ranges::any_of(code.results, [&](int target) { return registers[slot(target)]; });
}

bool is_local(const instruction& code) {
  return code.operation == opcode::access && code.memory.memory == memory_kind::local &&
         (code.memory.operation == access_does::load ||
          code.memory.operation == access_does::store);
}

class needed_register_search {
 public:
  needed_register_search(const kernel_code& kernel, bool has_data)
      : kernel_(kernel), has_data_(has_data) {
    needed_.registers.resize(static_cast<std::size_t>(kernel.registers));
  }

  needed_values find() {
    while (changed_) {
      changed_ = false;
      for (auto block = kernel_.blocks.rbegin(); block != kernel_.blocks.rend(); ++block)
        for (auto code = block->instructions.rbegin(); code != block->instructions.rend(); ++code)
          add_needs_of(*code);
    }
    return needed_;
  }

 private:
  // A load may give back what was stored there.
  bool has_content(const memory_access& access) const {
    return access.memory == memory_kind::generic || access.memory == memory_kind::shared ||
           (access.memory == memory_kind::global && has_data_);
  }
  static bool may_be_local(const memory_access& access) {
    return access.memory == memory_kind::generic || access.memory == memory_kind::local;
  }

  void set(bool& flag) {
    changed_ = changed_ || !flag;
    flag = true;
  }
  void need(int number) {
    if (number < 0 || needed_.registers[slot(number)]) return;
    needed_.registers[slot(number)] = true;
    changed_ = true;
  }

  void need_of(const operand& source) {
    if (source.is == operand::kind::reg) need(static_cast<int>(source.value));
  }

  void add_needs_of(const instruction& code) {
    const bool is_needed = writes_any(code, needed_.registers);
    if (is_without_effect(code, needed_)) {
      if (const int mask = mask_operand(code); mask >= 0) {  // lanes wait for each other
        need(code.guard);
        need_of(code.operands[slot(mask)]);
      }
      return;
    }
    need(code.guard);
    if (code.operation == opcode::unknown && only_computes(code)) return;  // whatever it reads
    const access_does operation = code.memory.operation;
    const bool is_access = code.operation == opcode::access;
    if (is_access && operation == access_does::load && is_needed) {
      if (has_content(code.memory)) set(is_content_needed_);
      if (may_be_local(code.memory)) set(needed_.local);
    }
    // Of a store the values, of an atomic operation, whose result is unknown, the operands.
    const bool has_values =
        is_access && (operation == access_does::store || operation == access_does::atomic);
    const bool needs_values =
        operation == access_does::store && ((has_content(code.memory) && is_content_needed_) ||
                                            (may_be_local(code.memory) && needed_.local));
    for (std::size_t number = 0; number < code.operands.size(); ++number)
      if (number == 0 || !has_values || needs_values) need_of(code.operands[number]);
  }

  const kernel_code& kernel_;
  const bool has_data_;
  needed_values needed_;
  bool is_content_needed_ = false;
  bool changed_ = true;
};

}  // namespace

needed_values needed_registers(const kernel_code& kernel, needed_for purpose) {
  if (purpose == needed_for::values)
    return {std::vector<bool>(static_cast<std::size_t>(kernel.registers), true), true};
  return needed_register_search(kernel, purpose == needed_for::requests_with_data).find();
}

bool is_without_effect(const instruction& code, const needed_values& needed) {
  if (is_local(code) && code.memory.operation == access_does::store) return !needed.local;
  return (only_computes(code) || is_local(code)) && !writes_any(code, needed.registers);
}

}  // namespace compiled
