// SPDX-License-Identifier: MIT
#include "known_ranges.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

#include "prepared_kernel.hpp"
#include "values.hpp"

namespace compiled {

namespace {

using state = register_range::state;

// Sums and products of numbers within this limit do not overflow.
constexpr std::int64_t farthest = std::int64_t{1} << 40;

register_range interval(std::int64_t low, std::int64_t high, int array = -1) {
  if (low > high || low < -farthest || high > farthest) return {};
  return {state::known, array, low, high};
}

bool is_number(const register_range& range) { return range.is == state::known && range.array < 0; }
bool is_single(const register_range& range) { return is_number(range) && range.low == range.high; }
// The register's bits as an unsigned or as a signed number are the range's number.
bool fits_unsigned(const register_range& range, int bits) {
  return is_number(range) && range.low >= 0 && (bits >= 40 || range.high < std::int64_t{1} << bits);
}
bool fits_signed(const register_range& range, int bits) {
  return is_number(range) && (bits > 40 || (range.low >= -(std::int64_t{1} << (bits - 1)) &&
                                            range.high < std::int64_t{1} << (bits - 1)));
}
register_range all_unsigned(int bits) {
  return bits < 40 ? interval(0, (std::int64_t{1} << bits) - 1) : register_range{};
}
register_range all_signed(int bits) {
  return bits < 40 ? interval(-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1)
                   : register_range{};
}
register_range as_unsigned(const register_range& range, int bits) {
  return fits_unsigned(range, bits) ? range : all_unsigned(bits);
}
register_range as_signed(const register_range& range, int bits) {
  return fits_signed(range, bits) ? range : all_signed(bits);
}

register_range either(const register_range& range, const register_range& other) {
  if (range.is == state::unwritten) return other;
  if (other.is == state::unwritten) return range;
  if (range.is == state::unknown || other.is == state::unknown || range.array != other.array)
    return {};
  return interval(std::min(range.low, other.low), std::max(range.high, other.high), range.array);
}

register_range sum(const register_range& range, const register_range& other) {
  if (range.is != state::known || other.is != state::known) return {};
  if (range.array >= 0 && other.array >= 0) return {};
  return interval(range.low + other.low, range.high + other.high,
                  std::max(range.array, other.array));
}

register_range difference(const register_range& range, const register_range& other) {
  if (range.is != state::known || !is_number(other)) return {};
  return interval(range.low - other.high, range.high - other.low, range.array);
}

register_range product(const register_range& range, const register_range& other) {
  if (!is_number(range) || !is_single(other)) return {};
  constexpr std::int64_t most_factor = std::int64_t{1} << 20;
  const std::int64_t factor = other.low;
  if (factor < -most_factor || factor > most_factor) return {};
  return factor >= 0 ? interval(range.low * factor, range.high * factor)
                     : interval(range.high * factor, range.low * factor);
}

register_range shifted_left(const register_range& range, const register_range& distance) {
  if (!is_single(distance) || distance.low < 0 || distance.low > 20) return {};
  return product(range, interval(std::int64_t{1} << distance.low, std::int64_t{1} << distance.low));
}

register_range shifted_right(const register_range& range, const register_range& distance) {
  if (!is_number(range) || !is_single(distance) || distance.low < 0 || distance.low > 40) return {};
  return interval(range.low >> distance.low, range.high >> distance.low);
}

// Of numbers that are not negative and this divisor.
register_range quotient(const register_range& range, const register_range& divisor) {
  if (!is_number(range) || range.low < 0 || !is_single(divisor) || divisor.low < 1) return {};
  return interval(range.low / divisor.low, range.high / divisor.low);
}

register_range masked(const register_range& range, const register_range& other, int bits) {
  const register_range a = as_unsigned(range, bits), b = as_unsigned(other, bits);
  if (!is_number(a)) return is_number(b) ? interval(0, b.high) : register_range{};
  return interval(0, is_number(b) ? std::min(a.high, b.high) : a.high);
}

// The lowest number of all ones that is no less.
register_range joined_bits(const register_range& range, const register_range& other, int bits) {
  const register_range a = as_unsigned(range, bits), b = as_unsigned(other, bits);
  if (!is_number(a) || !is_number(b)) return {};
  const auto high = static_cast<std::uint64_t>(std::max(a.high, b.high));
  return interval(0, static_cast<std::int64_t>(low_bits(64 - std::countl_zero(high))));
}

register_range remainder(const register_range& range, const register_range& divisor,
                         bool is_signed) {
  if (!is_number(divisor) || divisor.low == std::numeric_limits<std::int64_t>::min()) return {};
  const std::int64_t last = std::max(std::abs(divisor.low), std::abs(divisor.high)) - 1;
  if (last < 0) return {};
  if (!is_number(range)) return is_signed ? interval(-last, last) : interval(0, last);
  return interval(range.low < 0 ? std::max(-last, range.low) : 0,
                  range.high < 0 ? 0 : std::min(last, range.high));
}

register_range minimum(const register_range& range, const register_range& other) {
  if (is_number(range) && is_number(other))
    return interval(std::min(range.low, other.low), std::min(range.high, other.high));
  return {};
}
register_range maximum(const register_range& range, const register_range& other) {
  if (is_number(range) && is_number(other))
    return interval(std::max(range.low, other.low), std::max(range.high, other.high));
  return {};
}

// The range of a value that is loaded.
register_range loaded(const memory_access& memory) {
  if (memory.bytes > 4) return {};
  return memory.sign_extends ? all_signed(8 * memory.bytes) : all_unsigned(8 * memory.bytes);
}

register_range value_of(special variable, const kernel_code& kernel, const launch& settings) {
  switch (variable) {
    case special::thread_x: return interval(0, settings.block.x - 1);
    case special::thread_y: return interval(0, settings.block.y - 1);
    case special::thread_z: return interval(0, settings.block.z - 1);
    case special::threads_x: return interval(settings.block.x, settings.block.x);
    case special::threads_y: return interval(settings.block.y, settings.block.y);
    case special::threads_z: return interval(settings.block.z, settings.block.z);
    case special::lane: return interval(0, kernel.lanes - 1);
    case special::warp_size: return interval(kernel.lanes, kernel.lanes);
    default: return {};
  }
}

}  // namespace

// The ranges of a register's writers together, until nothing changes. What still grows after some
// rounds, such as the variable of a loop, is any value.
known_ranges::known_ranges(const kernel_code& kernel, const launch& settings,
                           const shared_layout& shared)
    : kernel_(kernel),
      settings_(settings),
      shared_(shared),
      registers_(static_cast<std::size_t>(kernel.registers), {state::unwritten}) {
  constexpr int exact_rounds = 8;
  bool changed = true;
  for (int round = 0; changed; ++round) {
    changed = false;
    for (const code_block& block : kernel.blocks)
      for (const instruction& code : block.instructions)
        for (const int target : code.results) {
          register_range& current = registers_[slot(target)];
          if (current.is == state::unknown) continue;
          const register_range next = either(current, result_of(code));
          if (next == current) continue;
          changed = true;
          current =
              round < exact_rounds || current.is == state::unwritten ? next : register_range{};
        }
  }
}

byte_range known_ranges::bytes_of(const instruction& access) const {
  const memory_access& memory = access.memory;
  const auto total = static_cast<std::int64_t>(shared_.total);
  const std::int64_t bytes = bytes_as_written(memory);
  const register_range address = evaluate(access.operands[0], 64);
  if (address.is != state::known || address.array < 0) return {0, total - 1};
  const auto array = static_cast<std::size_t>(address.array);
  const auto first = static_cast<std::int64_t>(shared_.first[array]);
  const auto last = array + static_cast<std::size_t>(kernel_.shared[array].members) - 1;
  const auto size = static_cast<std::int64_t>(shared_.first[last] + shared_.bytes[last]) - first;
  const std::int64_t low = std::max<std::int64_t>(address.low + memory.offset, 0);
  const std::int64_t high = std::min<std::int64_t>(address.high + memory.offset + bytes, size);
  if (high - low < bytes) return {0, total - 1};
  return {first + low, first + high - 1};
}

register_range known_ranges::evaluate(const operand& source, int bits) const {
  switch (source.is) {
    case operand::kind::reg: return registers_[static_cast<std::size_t>(source.value)];
    case operand::kind::constant: {
      const auto value = static_cast<std::int64_t>(sign_extended(source.value, bits));
      return interval(value, value);
    }
    case operand::kind::special:
      return value_of(static_cast<special>(source.value), kernel_, settings_);
    case operand::kind::shared_array: return interval(0, 0, static_cast<int>(source.value));
    case operand::kind::argument_bytes: return argument(source.value, bits);
    default: return {};
  }
}

register_range known_ranges::argument(std::uint64_t offset, int bits) const {
  for (std::size_t number = 0; number < kernel_.parameters.size(); ++number) {
    const code_parameter& parameter = kernel_.parameters[number];
    if (static_cast<std::uint64_t>(parameter.offset) != offset || 8 * parameter.bytes < bits)
      continue;
    for (const auto& [name, value] : settings_.arguments)
      if (parameter_number(kernel_, name) == number)
        return interval(static_cast<std::int64_t>(sign_extended(value, bits)),
                        static_cast<std::int64_t>(sign_extended(value, bits)));
    for (const auto& [name, range] : settings_.ranges)
      if (parameter_number(kernel_, name) == number) return interval(range.first, range.second);
  }
  return {};
}

register_range known_ranges::result_of(const instruction& code) const {
  const int bits = code.bits, from_bits = code.from_bits;
  const auto range = [&](std::size_t number) { return evaluate(code.operands[number], bits); };
  // Until what it needs was written, it has no value.
  for (const operand& source : code.operands)
    if (source.is == operand::kind::reg &&
        registers_[static_cast<std::size_t>(source.value)].is == state::unwritten &&
        code.operation != opcode::select && code.operation != opcode::access)
      return {state::unwritten};
  switch (code.operation) {
    case opcode::move: return range(0);
    case opcode::add: return sum(range(0), range(1));
    case opcode::subtract: return difference(range(0), range(1));
    case opcode::multiply: {
      const register_range a = range(0), b = range(1);
      return is_single(b) ? product(a, b) : product(b, a);
    }
    case opcode::shift_left: return shifted_left(range(0), range(1));
    case opcode::shift_right_unsigned: return shifted_right(as_unsigned(range(0), bits), range(1));
    case opcode::shift_right_signed: return shifted_right(as_signed(range(0), bits), range(1));
    case opcode::divide_unsigned:
      return quotient(as_unsigned(range(0), bits), as_unsigned(range(1), bits));
    case opcode::divide_signed: return quotient(as_signed(range(0), bits), range(1));
    case opcode::remainder_unsigned:
      return remainder(as_unsigned(range(0), bits), as_unsigned(range(1), bits), false);
    case opcode::remainder_signed:
      return remainder(as_signed(range(0), bits), as_signed(range(1), bits), true);
    case opcode::bit_and: return masked(range(0), range(1), bits);
    case opcode::bit_or:
    case opcode::bit_xor: return joined_bits(range(0), range(1), bits);
    case opcode::minimum_signed:
      return minimum(as_signed(range(0), bits), as_signed(range(1), bits));
    case opcode::maximum_signed:
      return maximum(as_signed(range(0), bits), as_signed(range(1), bits));
    case opcode::minimum_unsigned:
      return minimum(as_unsigned(range(0), bits), as_unsigned(range(1), bits));
    case opcode::maximum_unsigned:
      return maximum(as_unsigned(range(0), bits), as_unsigned(range(1), bits));
    case opcode::count_ones:
    case opcode::count_leading_zeros: return interval(0, 64);
    case opcode::extract_unsigned: {
      const register_range count = range(2);
      return is_single(count) && count.low >= 0 && count.low < 32
                 ? all_unsigned(static_cast<int>(count.low))
                 : register_range{};
    }
    case opcode::extend_unsigned:
    case opcode::extend_signed: {
      const register_range original = evaluate(code.operands[0], from_bits);
      // An address of shared memory has no more than its 32 bits, or is whole.
      if (original.is == state::known && original.array >= 0)
        return from_bits >= 32 && bits >= 32 ? original : register_range{};
      // One of fewer bits has the low ones.
      const bool is_signed = code.operation == opcode::extend_signed;
      if (bits < from_bits) return original;
      return is_signed ? as_signed(original, from_bits) : as_unsigned(original, from_bits);
    }
    case opcode::equal:
    case opcode::not_equal:
    case opcode::less_signed:
    case opcode::less_equal_signed:
    case opcode::less_unsigned:
    case opcode::less_equal_unsigned: return interval(0, 1);
    case opcode::select: return either(range(1), range(2));
    case opcode::access:
      return code.memory.operation == access_does::load ? loaded(code.memory) : register_range{};
    default: return {};
  }
}

}  // namespace compiled
