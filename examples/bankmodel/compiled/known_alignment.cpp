// SPDX-License-Identifier: MIT
#include "known_alignment.hpp"

#include <algorithm>
#include <bit>

namespace compiled {

namespace {

constexpr int all_bits = 64;

int zeros_of(std::uint64_t value) { return value == 0 ? all_bits : std::countr_zero(value); }

}  // namespace

// Registers begin with all bits 0 and lose what an instruction that writes them does not keep,
// until nothing changes: so a loop that adds 16 to a multiple of 16 keeps four.
known_alignment::known_alignment(const kernel_code& kernel, const shared_layout& shared)
    : kernel_(kernel), shared_(shared), zeros_(static_cast<std::size_t>(kernel.registers)) {
  std::fill(zeros_.begin(), zeros_.end(), all_bits);
  for (bool changed = true; changed;) {
    changed = false;
    for (const code_block& block : kernel.blocks)
      for (const instruction& one : block.instructions)
        for (const int to : one.to) {
          int& now = zeros_[static_cast<std::size_t>(to)];
          const int next = std::min(now, zeros(one));
          changed = changed || next != now;
          now = next;
        }
  }
}

int known_alignment::of(const instruction& access) const {
  const int zeros = std::min(
      {this->zeros(access.from[0]), zeros_of(static_cast<std::uint64_t>(access.memory.offset)), 4});
  return std::max(1 << zeros, std::min(access.memory.alignment, 16));
}

int known_alignment::zeros(const operand& of) const {
  const auto at = static_cast<std::size_t>(of.value);
  switch (of.is) {
    case operand::kind::reg: return zeros_[at];
    case operand::kind::constant: return zeros_of(of.value);
    case operand::kind::shared_array: return zeros_of(shared_.first[at]);
    case operand::kind::global_array:
      return zeros_of(static_cast<std::uint64_t>(std::max(1, kernel_.globals[at].alignment)));
    default: return 0;
  }
}

int known_alignment::zeros(const instruction& of) const {
  const auto from = [&](std::size_t number) { return zeros(of.from[number]); };
  switch (of.does) {
    case opcode::move:
    case opcode::extend_signed:
    case opcode::extend_unsigned: return from(0);
    case opcode::add:
    case opcode::subtract:
    case opcode::bit_or:
    case opcode::bit_xor:
    case opcode::minimum_signed:
    case opcode::minimum_unsigned:
    case opcode::maximum_signed:
    case opcode::maximum_unsigned: return std::min(from(0), from(1));
    case opcode::bit_and: return std::max(from(0), from(1));
    case opcode::multiply: return std::min(from(0) + from(1), all_bits);
    case opcode::shift_left:
      if (of.from[1].is != operand::kind::constant) return from(0);
      return static_cast<int>(std::min<std::uint64_t>(
          static_cast<std::uint64_t>(from(0)) + std::min<std::uint64_t>(of.from[1].value, all_bits),
          all_bits));
    case opcode::shift_right_signed:
    case opcode::shift_right_unsigned:
      if (of.from[1].is != operand::kind::constant) return 0;
      return std::max(0, from(0) - static_cast<int>(std::min<std::uint64_t>(of.from[1].value, 64)));
    case opcode::select: return std::min(from(1), from(2));
    default: return 0;
  }
}

}  // namespace compiled
