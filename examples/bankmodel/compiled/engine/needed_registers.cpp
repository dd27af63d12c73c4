// SPDX-License-Identifier: MIT
#include "needed_registers.hpp"

#include <algorithm>

#include "../code/control_flow.hpp"

namespace compiled {

namespace {

// Results are all that it leaves behind.
bool only_computes(const instruction& one) {
  switch (one.does) {
    case opcode::unknown:
      return !(one.may_access_shared || one.may_access_global) && one.unit == memory_unit::warp;
    case opcode::access:
    case opcode::barrier:
    case opcode::warp_sync:
    case opcode::branch:
    case opcode::leave: return false;
    default: return true;
  }
}

bool writes_any(const instruction& one, const std::vector<bool>& of) {
  return std::any_of(one.to.begin(), one.to.end(),
                     [&](int to) { return of[static_cast<std::size_t>(to)]; });
}

bool is_local(const instruction& one) {
  return one.does == opcode::access && one.memory.memory == memory_kind::local &&
         (one.memory.does == access_does::load || one.memory.does == access_does::store);
}

class needed_register_search {
 public:
  needed_register_search(const kernel_code& kernel, bool has_data)
      : kernel_(kernel), has_data_(has_data) {
    needed_.registers.resize(static_cast<std::size_t>(kernel.registers));
  }

  needed_values found() {
    while (changed_) {
      changed_ = false;
      for (auto block = kernel_.blocks.rbegin(); block != kernel_.blocks.rend(); ++block)
        for (auto one = block->instructions.rbegin(); one != block->instructions.rend(); ++one)
          add_needs_of(*one);
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
    if (number < 0 || needed_.registers[static_cast<std::size_t>(number)]) return;
    needed_.registers[static_cast<std::size_t>(number)] = true;
    changed_ = true;
  }

  void need_of(const operand& one) {
    if (one.is == operand::kind::reg) need(static_cast<int>(one.value));
  }

  void add_needs_of(const instruction& one) {
    const bool is_needed = writes_any(one, needed_.registers);
    if (is_without_effect(one, needed_)) {
      if (const int mask = mask_operand(one); mask >= 0) {  // lanes wait for each other
        need(one.guard);
        need_of(one.from[static_cast<std::size_t>(mask)]);
      }
      return;
    }
    need(one.guard);
    const access_does does = one.memory.does;
    const bool is_access = one.does == opcode::access;
    if (is_access && does == access_does::load && is_needed) {
      if (has_content(one.memory)) set(is_content_needed_);
      if (may_be_local(one.memory)) set(needed_.local);
    }
    // Of a store the values, of an atomic operation, whose result is unknown, the operands.
    const bool has_values =
        is_access && (does == access_does::store || does == access_does::atomic);
    const bool needs_values =
        does == access_does::store && ((has_content(one.memory) && is_content_needed_) ||
                                       (may_be_local(one.memory) && needed_.local));
    for (std::size_t at = 0; at < one.from.size(); ++at)
      if (at == 0 || !has_values || needs_values) need_of(one.from[at]);
  }

  const kernel_code& kernel_;
  const bool has_data_;
  needed_values needed_;
  bool is_content_needed_ = false;
  bool changed_ = true;
};

}  // namespace

needed_values needed_registers(const kernel_code& kernel, bool has_data) {
  return needed_register_search(kernel, has_data).found();
}

bool is_without_effect(const instruction& one, const needed_values& needed) {
  if (is_local(one) && one.memory.does == access_does::store) return !needed.local;
  return (only_computes(one) || is_local(one)) && !writes_any(one, needed.registers);
}

}  // namespace compiled
