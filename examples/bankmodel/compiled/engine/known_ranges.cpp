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

register_range between(std::int64_t low, std::int64_t high, int array = -1) {
  if (low > high || low < -farthest || high > farthest) return {};
  return {state::known, array, low, high};
}

bool is_number(const register_range& one) { return one.is == state::known && one.array < 0; }
bool is_single(const register_range& one) { return is_number(one) && one.low == one.high; }
// The register's bits as an unsigned or as a signed number are the range's number.
bool fits_unsigned(const register_range& one, int bits) {
  return is_number(one) && one.low >= 0 && (bits >= 40 || one.high < std::int64_t{1} << bits);
}
bool fits_signed(const register_range& one, int bits) {
  return is_number(one) && (bits > 40 || (one.low >= -(std::int64_t{1} << (bits - 1)) &&
                                          one.high < std::int64_t{1} << (bits - 1)));
}
register_range all_unsigned(int bits) {
  return bits < 40 ? between(0, (std::int64_t{1} << bits) - 1) : register_range{};
}
register_range all_signed(int bits) {
  return bits < 40 ? between(-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1)
                   : register_range{};
}
register_range as_unsigned(const register_range& one, int bits) {
  return fits_unsigned(one, bits) ? one : all_unsigned(bits);
}
register_range as_signed(const register_range& one, int bits) {
  return fits_signed(one, bits) ? one : all_signed(bits);
}

register_range either(const register_range& one, const register_range& other) {
  if (one.is == state::unwritten) return other;
  if (other.is == state::unwritten) return one;
  if (one.is == state::any || other.is == state::any || one.array != other.array) return {};
  return between(std::min(one.low, other.low), std::max(one.high, other.high), one.array);
}

register_range sum(const register_range& one, const register_range& other) {
  if (one.is != state::known || other.is != state::known) return {};
  if (one.array >= 0 && other.array >= 0) return {};
  return between(one.low + other.low, one.high + other.high, std::max(one.array, other.array));
}

register_range difference(const register_range& one, const register_range& other) {
  if (one.is != state::known || !is_number(other)) return {};
  return between(one.low - other.high, one.high - other.low, one.array);
}

register_range product(const register_range& one, const register_range& other) {
  if (!is_number(one) || !is_single(other)) return {};
  constexpr std::int64_t most_factor = std::int64_t{1} << 20;
  const std::int64_t factor = other.low;
  if (factor < -most_factor || factor > most_factor) return {};
  return factor >= 0 ? between(one.low * factor, one.high * factor)
                     : between(one.high * factor, one.low * factor);
}

register_range shifted_left(const register_range& one, const register_range& by) {
  if (!is_single(by) || by.low < 0 || by.low > 20) return {};
  return product(one, between(std::int64_t{1} << by.low, std::int64_t{1} << by.low));
}

register_range shifted_right(const register_range& one, const register_range& by) {
  if (!is_number(one) || !is_single(by) || by.low < 0 || by.low > 40) return {};
  return between(one.low >> by.low, one.high >> by.low);
}

// Of numbers that are not negative and this divisor.
register_range quotient(const register_range& one, const register_range& by) {
  if (!is_number(one) || one.low < 0 || !is_single(by) || by.low < 1) return {};
  return between(one.low / by.low, one.high / by.low);
}

register_range masked(const register_range& one, const register_range& other, int bits) {
  const register_range a = as_unsigned(one, bits), b = as_unsigned(other, bits);
  if (!is_number(a)) return is_number(b) ? between(0, b.high) : register_range{};
  return between(0, is_number(b) ? std::min(a.high, b.high) : a.high);
}

// The lowest number of all ones that is no less.
register_range joined_bits(const register_range& one, const register_range& other, int bits) {
  const register_range a = as_unsigned(one, bits), b = as_unsigned(other, bits);
  if (!is_number(a) || !is_number(b)) return {};
  const auto high = static_cast<std::uint64_t>(std::max(a.high, b.high));
  return between(0, static_cast<std::int64_t>(low_bits(64 - std::countl_zero(high))));
}

register_range remainder(const register_range& one, const register_range& by, bool is_signed) {
  if (!is_number(by) || by.low == std::numeric_limits<std::int64_t>::min()) return {};
  const std::int64_t last = std::max(std::abs(by.low), std::abs(by.high)) - 1;
  if (last < 0) return {};
  if (!is_number(one)) return is_signed ? between(-last, last) : between(0, last);
  return between(one.low < 0 ? std::max(-last, one.low) : 0,
                 one.high < 0 ? 0 : std::min(last, one.high));
}

register_range least(const register_range& one, const register_range& other) {
  if (is_number(one) && is_number(other))
    return between(std::min(one.low, other.low), std::min(one.high, other.high));
  return {};
}
register_range greatest(const register_range& one, const register_range& other) {
  if (is_number(one) && is_number(other))
    return between(std::max(one.low, other.low), std::max(one.high, other.high));
  return {};
}

// The range of a value that is loaded.
register_range loaded(const memory_access& memory) {
  if (memory.bytes > 4) return {};
  return memory.sign_extends ? all_signed(8 * memory.bytes) : all_unsigned(8 * memory.bytes);
}

register_range value_of(special which, const kernel_code& kernel, const launch& how) {
  switch (which) {
    case special::thread_x: return between(0, how.block.x - 1);
    case special::thread_y: return between(0, how.block.y - 1);
    case special::thread_z: return between(0, how.block.z - 1);
    case special::threads_x: return between(how.block.x, how.block.x);
    case special::threads_y: return between(how.block.y, how.block.y);
    case special::threads_z: return between(how.block.z, how.block.z);
    case special::lane: return between(0, kernel.lanes - 1);
    case special::warp_size: return between(kernel.lanes, kernel.lanes);
    default: return {};
  }
}

}  // namespace

// The ranges of a register's writers together, until nothing changes. What still grows after some
// rounds, such as the variable of a loop, is any value.
known_ranges::known_ranges(const kernel_code& kernel, const launch& how,
                           const shared_layout& shared)
    : kernel_(kernel),
      how_(how),
      shared_(shared),
      registers_(static_cast<std::size_t>(kernel.registers), {state::unwritten}) {
  constexpr int exact_rounds = 8;
  bool changed = true;
  for (int round = 0; changed; ++round) {
    changed = false;
    for (const code_block& block : kernel.blocks)
      for (const instruction& one : block.instructions)
        for (const int to : one.to) {
          register_range& now = registers_[static_cast<std::size_t>(to)];
          if (now.is == state::any) continue;
          const register_range next = either(now, result_of(one));
          if (next == now) continue;
          changed = true;
          now = round < exact_rounds || now.is == state::unwritten ? next : register_range{};
        }
  }
}

byte_range known_ranges::bytes_of(const instruction& access) const {
  const memory_access& memory = access.memory;
  const auto total = static_cast<std::int64_t>(shared_.total);
  const std::int64_t bytes = bytes_as_written(memory);
  const register_range address = of(access.from[0], 64);
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

register_range known_ranges::of(const operand& given, int bits) const {
  switch (given.is) {
    case operand::kind::reg: return registers_[static_cast<std::size_t>(given.value)];
    case operand::kind::constant: {
      const auto value = static_cast<std::int64_t>(sign_extended(given.value, bits));
      return between(value, value);
    }
    case operand::kind::special: return value_of(static_cast<special>(given.value), kernel_, how_);
    case operand::kind::shared_array: return between(0, 0, static_cast<int>(given.value));
    case operand::kind::argument_bytes: return argument(given.value, bits);
    default: return {};
  }
}

register_range known_ranges::argument(std::uint64_t offset, int bits) const {
  for (std::size_t number = 0; number < kernel_.parameters.size(); ++number) {
    const code_parameter& one = kernel_.parameters[number];
    if (static_cast<std::uint64_t>(one.offset) != offset || 8 * one.bytes < bits) continue;
    for (const auto& [name, value] : how_.arguments)
      if (parameter_number(kernel_, name) == number)
        return between(static_cast<std::int64_t>(sign_extended(value, bits)),
                       static_cast<std::int64_t>(sign_extended(value, bits)));
    for (const auto& [name, range] : how_.ranges)
      if (parameter_number(kernel_, name) == number) return between(range.first, range.second);
  }
  return {};
}

register_range known_ranges::result_of(const instruction& one) const {
  const int bits = one.bits, from_bits = one.from_bits;
  const auto from = [&](std::size_t number) { return of(one.from[number], bits); };
  // Until what it needs was written, it has no value.
  for (const operand& each : one.from)
    if (each.is == operand::kind::reg &&
        registers_[static_cast<std::size_t>(each.value)].is == state::unwritten &&
        one.does != opcode::select && one.does != opcode::access)
      return {state::unwritten};
  switch (one.does) {
    case opcode::move: return from(0);
    case opcode::add: return sum(from(0), from(1));
    case opcode::subtract: return difference(from(0), from(1));
    case opcode::multiply: {
      const register_range a = from(0), b = from(1);
      return is_single(b) ? product(a, b) : product(b, a);
    }
    case opcode::shift_left: return shifted_left(from(0), from(1));
    case opcode::shift_right_unsigned: return shifted_right(as_unsigned(from(0), bits), from(1));
    case opcode::shift_right_signed: return shifted_right(as_signed(from(0), bits), from(1));
    case opcode::divide_unsigned:
      return quotient(as_unsigned(from(0), bits), as_unsigned(from(1), bits));
    case opcode::divide_signed: return quotient(as_signed(from(0), bits), from(1));
    case opcode::remainder_unsigned:
      return remainder(as_unsigned(from(0), bits), as_unsigned(from(1), bits), false);
    case opcode::remainder_signed:
      return remainder(as_signed(from(0), bits), as_signed(from(1), bits), true);
    case opcode::bit_and: return masked(from(0), from(1), bits);
    case opcode::bit_or:
    case opcode::bit_xor: return joined_bits(from(0), from(1), bits);
    case opcode::minimum_signed: return least(as_signed(from(0), bits), as_signed(from(1), bits));
    case opcode::maximum_signed:
      return greatest(as_signed(from(0), bits), as_signed(from(1), bits));
    case opcode::minimum_unsigned:
      return least(as_unsigned(from(0), bits), as_unsigned(from(1), bits));
    case opcode::maximum_unsigned:
      return greatest(as_unsigned(from(0), bits), as_unsigned(from(1), bits));
    case opcode::count_ones:
    case opcode::count_leading_zeros: return between(0, 64);
    case opcode::extract_unsigned: {
      const register_range count = from(2);
      return is_single(count) && count.low >= 0 && count.low < 32
                 ? all_unsigned(static_cast<int>(count.low))
                 : register_range{};
    }
    case opcode::extend_unsigned:
    case opcode::extend_signed: {
      const register_range given = of(one.from[0], from_bits);
      // An address of shared memory has no more than its 32 bits, or is whole.
      if (given.is == state::known && given.array >= 0)
        return from_bits >= 32 && bits >= 32 ? given : register_range{};
      // One of fewer bits has the low ones.
      const bool is_signed = one.does == opcode::extend_signed;
      if (bits < from_bits) return given;
      return is_signed ? as_signed(given, from_bits) : as_unsigned(given, from_bits);
    }
    case opcode::equal:
    case opcode::not_equal:
    case opcode::less_signed:
    case opcode::less_equal_signed:
    case opcode::less_unsigned:
    case opcode::less_equal_unsigned: return between(0, 1);
    case opcode::select: return either(from(1), from(2));
    case opcode::access:
      return one.memory.does == access_does::load ? loaded(one.memory) : register_range{};
    default: return {};
  }
}

}  // namespace compiled
