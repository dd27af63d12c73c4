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
  const int known = std::clamp(bits, 0, all_bits);
  return {known, value & low_bits(known)};
}

low_part product(const low_part& a, const low_part& b) {
  return cut(std::min({a.bits + zeros_of(b.value), b.bits + zeros_of(a.value), a.bits + b.bits}),
             a.value * b.value);
}

// A mask's zeros are known where the value is not.
low_part masked(const low_part& part, const low_part& mask) {
  int bits = std::min(part.bits, mask.bits);
  while (bits < mask.bits && (mask.value >> bits & 1) == 0) ++bits;
  return cut(bits, part.value & mask.value & low_bits(std::min(part.bits, bits)));
}

low_part either(const low_part& a, const low_part& b) {
  return cut(std::min({a.bits, b.bits, zeros_of(a.value ^ b.value)}), a.value);
}

low_part shifted(const low_part& part, const low_part& distance, bool is_left) {
  if (distance.bits < all_bits) return {is_left ? std::min(part.bits, zeros_of(part.value)) : 0, 0};
  const int count = static_cast<int>(std::min<std::uint64_t>(distance.value, all_bits));
  if (is_left) return cut(part.bits + count, count < all_bits ? part.value << count : 0);
  return cut(part.bits - count, count < all_bits ? part.value >> count : 0);
}

}  // namespace

// Registers that one instruction writes have its result. Those of several, such as the variables of
// loops, begin as multiples of everything and become multiples of less, until nothing changes:
// ptxas knows no more of them.
known_alignment::known_alignment(const kernel_code& kernel, const shared_layout& shared)
    : kernel_(kernel), shared_(shared), registers_(static_cast<std::size_t>(kernel.registers)) {
  std::vector<int> writers(registers_.size());
  for (const code_block& block : kernel.blocks)
    for (const instruction& code : block.instructions)
      for (const int target : code.results) ++writers[slot(target)];
  bool changed = true;
  for (int round = 0; changed && round < most_rounds; ++round) {
    changed = false;
    for (const code_block& block : kernel.blocks)
      for (const instruction& code : block.instructions)
        for (const int target : code.results) {
          const auto number = static_cast<std::size_t>(target);
          low_part& current = registers_[number];
          low_part next = result_of(code);
          if (writers[number] > 1)
            next = {std::min({current.bits, next.bits, zeros_of(next.value)}), 0};
          changed = changed || next.bits != current.bits || next.value != current.value;
          current = next;
        }
  }
  // Registers that need one another before they are written.
  if (changed) std::ranges::fill(registers_, low_part{0, 0});
}

low_part known_alignment::evaluate(const instruction& access) const {
  const memory_access& memory = access.memory;
  const low_part base = evaluate(access.operands[0]);
  const low_part address =
      cut(std::min(base.bits, 4), base.value + static_cast<std::uint64_t>(memory.offset));
  // The machine demands as much: vectors are aligned as a whole, those of three elements as one.
  const auto bytes =
      static_cast<std::uint64_t>(memory.bytes) * static_cast<std::uint64_t>(memory.elements);
  const int demanded =
      std::max(zeros_of(bytes), zeros_of(static_cast<std::uint64_t>(memory.alignment)));
  return address.bits >= demanded ? address : cut(std::min(demanded, 4), 0);
}

low_part known_alignment::evaluate(const operand& source) const {
  const auto number = static_cast<std::size_t>(source.value);
  switch (source.is) {
    case operand::kind::reg: return registers_[number];
    case operand::kind::constant: return exactly(source.value);
    // ptxas knows its alignment alone, as of an array behind one of 36 bytes.
    case operand::kind::shared_array: return multiple_of(shared_.first[number]);
    case operand::kind::global_array:
      return multiple_of(
          static_cast<std::uint64_t>(std::max(1, kernel_.globals[number].alignment)));
    default: return {0, 0};
  }
}

low_part known_alignment::result_of(const instruction& code) const {
  const auto part = [&](std::size_t number) { return evaluate(code.operands[number]); };
  const auto combined = [&](auto&& operation) {
    const low_part a = part(0), b = part(1);
    return cut(std::min({a.bits, b.bits, int{code.bits}}), operation(a.value, b.value));
  };
  const auto limited = [&](const low_part& result) {
    return cut(std::min(result.bits, int{code.bits}), result.value);
  };
  switch (code.operation) {
    case opcode::move: return limited(part(0));
    case opcode::extend_signed:
    case opcode::extend_unsigned:
      return cut(std::min({part(0).bits, int{code.from_bits}, int{code.bits}}), part(0).value);
    case opcode::add: return combined([](auto a, auto b) { return a + b; });
    case opcode::subtract: return combined([](auto a, auto b) { return a - b; });
    case opcode::bit_or: return combined([](auto a, auto b) { return a | b; });
    case opcode::bit_xor: return combined([](auto a, auto b) { return a ^ b; });
    case opcode::bit_and: {
      const low_part a = masked(part(0), part(1)), b = masked(part(1), part(0));
      return limited(a.bits >= b.bits ? a : b);
    }
    case opcode::multiply: return limited(product(part(0), part(1)));
    case opcode::shift_left: return limited(shifted(part(0), part(1), true));
    case opcode::shift_right_signed:
    case opcode::shift_right_unsigned: return shifted(limited(part(0)), part(1), false);
    case opcode::select: return limited(either(part(1), part(2)));
    case opcode::minimum_signed:
    case opcode::minimum_unsigned:
    case opcode::maximum_signed:
    case opcode::maximum_unsigned: return limited(either(part(0), part(1)));
    default: return {0, 0};
  }
}

}  // namespace compiled
