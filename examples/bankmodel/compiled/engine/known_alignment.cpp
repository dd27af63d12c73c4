// SPDX-License-Identifier: MIT
#include "known_alignment.hpp"

#include <algorithm>
#include <bit>

#include "values.hpp"

namespace compiled {

namespace {

constexpr int all_bits = 64, most_rounds = 100;

int zeros_of(std::uint64_t value) { return value == 0 ? all_bits : std::countr_zero(value); }

low_part exactly(std::uint64_t value) { return {all_bits, value}; }
low_part multiple_of(std::uint64_t value) { return {zeros_of(value), 0}; }
low_part cut(int bits, std::uint64_t value) {
  const int least = std::clamp(bits, 0, all_bits);
  return {least, value & low_bits(least)};
}

low_part product(const low_part& a, const low_part& b) {
  return cut(std::min({a.bits + zeros_of(b.value), b.bits + zeros_of(a.value), a.bits + b.bits}),
             a.value * b.value);
}

// A mask's zeros are known where the value is not.
low_part masked(const low_part& given, const low_part& mask) {
  int bits = std::min(given.bits, mask.bits);
  while (bits < mask.bits && (mask.value >> bits & 1) == 0) ++bits;
  return cut(bits, given.value & mask.value & low_bits(std::min(given.bits, bits)));
}

low_part either(const low_part& a, const low_part& b) {
  return cut(std::min({a.bits, b.bits, zeros_of(a.value ^ b.value)}), a.value);
}

low_part shifted(const low_part& given, const low_part& by, bool is_left) {
  if (by.bits < all_bits) return {is_left ? std::min(given.bits, zeros_of(given.value)) : 0, 0};
  const int count = static_cast<int>(std::min<std::uint64_t>(by.value, all_bits));
  if (is_left) return cut(given.bits + count, count < all_bits ? given.value << count : 0);
  return cut(given.bits - count, count < all_bits ? given.value >> count : 0);
}

}  // namespace

// Registers that one instruction writes have its result. Those of several, such as the variables of
// loops, begin as multiples of everything and become multiples of less, until nothing changes:
// ptxas knows no more of them.
known_alignment::known_alignment(const kernel_code& kernel, const shared_layout& shared)
    : kernel_(kernel), shared_(shared), registers_(static_cast<std::size_t>(kernel.registers)) {
  std::vector<int> writers(registers_.size());
  for (const code_block& block : kernel.blocks)
    for (const instruction& one : block.instructions)
      for (const int to : one.to) ++writers[static_cast<std::size_t>(to)];
  bool changed = true;
  for (int round = 0; changed && round < most_rounds; ++round) {
    changed = false;
    for (const code_block& block : kernel.blocks)
      for (const instruction& one : block.instructions)
        for (const int to : one.to) {
          const auto at = static_cast<std::size_t>(to);
          low_part& now = registers_[at];
          low_part next = result_of(one);
          if (writers[at] > 1) next = {std::min({now.bits, next.bits, zeros_of(next.value)}), 0};
          changed = changed || next.bits != now.bits || next.value != now.value;
          now = next;
        }
  }
  // Registers that need one another before they are written.
  if (changed) std::fill(registers_.begin(), registers_.end(), low_part{0, 0});
}

low_part known_alignment::of(const instruction& access) const {
  const memory_access& memory = access.memory;
  const low_part base = of(access.from[0]);
  const low_part address =
      cut(std::min(base.bits, 4), base.value + static_cast<std::uint64_t>(memory.offset));
  // The machine demands as much: vectors are aligned as a whole, those of three elements as one.
  const auto bytes =
      static_cast<std::uint64_t>(memory.bytes) * static_cast<std::uint64_t>(memory.elements);
  const int demanded =
      std::max(zeros_of(bytes), zeros_of(static_cast<std::uint64_t>(memory.alignment)));
  return address.bits >= demanded ? address : cut(std::min(demanded, 4), 0);
}

low_part known_alignment::of(const operand& given) const {
  const auto at = static_cast<std::size_t>(given.value);
  switch (given.is) {
    case operand::kind::reg: return registers_[at];
    case operand::kind::constant: return exactly(given.value);
    // ptxas knows its alignment alone, as of an array behind one of 36 bytes.
    case operand::kind::shared_array: return multiple_of(shared_.first[at]);
    case operand::kind::global_array:
      return multiple_of(static_cast<std::uint64_t>(std::max(1, kernel_.globals[at].alignment)));
    default: return {0, 0};
  }
}

low_part known_alignment::result_of(const instruction& one) const {
  const auto from = [&](std::size_t number) { return of(one.from[number]); };
  const auto both = [&](auto&& operation) {
    const low_part a = from(0), b = from(1);
    return cut(std::min({a.bits, b.bits, int{one.bits}}), operation(a.value, b.value));
  };
  const auto within = [&](const low_part& result) {
    return cut(std::min(result.bits, int{one.bits}), result.value);
  };
  switch (one.does) {
    case opcode::move: return within(from(0));
    case opcode::extend_signed:
    case opcode::extend_unsigned:
      return cut(std::min({from(0).bits, int{one.from_bits}, int{one.bits}}), from(0).value);
    case opcode::add: return both([](auto a, auto b) { return a + b; });
    case opcode::subtract: return both([](auto a, auto b) { return a - b; });
    case opcode::bit_or: return both([](auto a, auto b) { return a | b; });
    case opcode::bit_xor: return both([](auto a, auto b) { return a ^ b; });
    case opcode::bit_and: {
      const low_part a = masked(from(0), from(1)), b = masked(from(1), from(0));
      return within(a.bits >= b.bits ? a : b);
    }
    case opcode::multiply: return within(product(from(0), from(1)));
    case opcode::shift_left: return within(shifted(from(0), from(1), true));
    case opcode::shift_right_signed:
    case opcode::shift_right_unsigned: return shifted(within(from(0)), from(1), false);
    case opcode::select: return within(either(from(1), from(2)));
    case opcode::minimum_signed:
    case opcode::minimum_unsigned:
    case opcode::maximum_signed:
    case opcode::maximum_unsigned: return within(either(from(0), from(1)));
    default: return {0, 0};
  }
}

}  // namespace compiled
