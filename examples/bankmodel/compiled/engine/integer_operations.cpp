// SPDX-License-Identifier: MIT
#include "integer_operations.hpp"

#include <algorithm>

namespace compiled {

namespace {

__extension__ using signed_128 = __int128;
__extension__ using unsigned_128 = unsigned __int128;

std::uint64_t upper_half(unsigned_128 product, int bits) {
  return static_cast<std::uint64_t>(product >> bits);
}

std::uint64_t as_unsigned(std::int64_t value) { return static_cast<std::uint64_t>(value); }
std::int64_t as_signed(std::uint64_t value, int bits) {
  return static_cast<std::int64_t>(sign_extended(value, bits));
}

std::uint64_t reversed(std::uint64_t value, int bits) {
  std::uint64_t result = 0;
  for (int bit = 0; bit < bits; ++bit)
    if (has(value, bit)) result |= std::uint64_t{1} << (bits - 1 - bit);
  return result;
}

// PTX's bfind: the highest bit that differs from the sign, or all ones of 32 bits.
std::uint64_t highest_bit(std::uint64_t value, int bits, bool is_signed) {
  if (is_signed && has(value, bits - 1)) value = ~value & low_bits(bits);
  return value == 0 ? low_bits(32) : static_cast<std::uint64_t>(63 - std::countl_zero(value));
}

// PTX's bfe: `length` bits from bit `first` on; of a signed field the sign is its highest bit, or
// the value's own if the field goes beyond it.
std::uint64_t extracted(std::uint64_t value, std::uint64_t first, std::uint64_t length, int bits,
                        bool is_signed) {
  first &= 0xff;
  length &= 0xff;
  if (length == 0) return 0;
  const auto width = static_cast<std::uint64_t>(bits);
  const std::uint64_t top = std::min(first + length - 1, width - 1);
  const bool sign = is_signed && has(value, static_cast<int>(top));
  std::uint64_t result = first >= width ? 0 : value >> first;
  const int kept = static_cast<int>(std::min(first >= width ? 0 : width - first, length));
  result &= low_bits(kept);
  return sign ? result | ~low_bits(kept) : result;
}

// PTX's bfi.
std::uint64_t inserted(std::uint64_t into, std::uint64_t field, std::uint64_t first,
                       std::uint64_t length, int bits) {
  first &= 0xff;
  length &= 0xff;
  if (length == 0 || first >= static_cast<std::uint64_t>(bits)) return into;
  const int size = static_cast<int>(std::min<std::uint64_t>(length, 64));
  const std::uint64_t mask = low_bits(size) << first;
  return (into & ~mask) | ((field << first) & mask);
}

// PTX's prmt: each byte of the result is one of eight bytes, or its sign.
std::uint64_t permuted(std::uint64_t low, std::uint64_t high, std::uint64_t selector) {
  const std::uint64_t bytes = (low & low_bits(32)) | high << 32;
  std::uint64_t result = 0;
  for (int at = 0; at < 4; ++at) {
    const std::uint64_t select = selector >> (4 * at) & 15;
    std::uint64_t byte = bytes >> (8 * (select & 7)) & 255;
    if ((select & 8) != 0) byte = (byte & 128) != 0 ? 255 : 0;
    result |= byte << (8 * at);
  }
  return result;
}

std::uint64_t funnel(std::uint64_t low, std::uint64_t high, std::uint64_t by, int bits,
                     bool is_left) {
  const int shift = static_cast<int>(by % static_cast<std::uint64_t>(bits));
  if (shift == 0) return is_left ? high : low;
  return is_left ? high << shift | low >> (bits - shift) : low >> shift | high << (bits - shift);
}

}  // namespace

std::uint64_t compute_integers(const instruction& does, const lane_values* from,
                               std::uint64_t active, std::uint64_t* to) {
  const int bits = does.bits;
  const std::uint64_t all = low_bits(bits);
  const lane_values a = from[0], b = from[1], c = from[2], d = from[3];
  std::uint64_t undefined = 0;
  const auto each = [&](const auto& result) {
    for_each_lane(active, [&](int lane) { to[lane] = result(lane) & all; });
  };
  // Of two operands: unsigned and signed.
  const auto plain = [&](const auto& result) {
    each([&](int lane) { return result(a[lane] & all, b[lane] & all); });
  };
  const auto with_sign = [&](const auto& result) {
    each([&](int lane) {
      return static_cast<std::uint64_t>(result(as_signed(a[lane], bits), as_signed(b[lane], bits)));
    });
  };
  // The distance of a shift has 32 bits, however many the value has.
  const auto shifted = [&](const auto& result) {
    each([&](int lane) { return result(a[lane] & all, b[lane] & (all | low_bits(32))); });
  };
  const auto divided = [&](const auto& result) {
    each([&](int lane) -> std::uint64_t {
      if ((b[lane] & all) != 0) return result(a[lane] & all, b[lane] & all);
      undefined |= std::uint64_t{1} << lane;
      return 0;
    });
  };
  const auto wide = static_cast<std::uint64_t>(bits);
  const auto compared = [&](const auto& result) {
    for_each_lane(active, [&](int lane) { to[lane] = result(a[lane] & all, b[lane] & all); });
  };
  const auto compared_with_sign = [&](const auto& result) {
    for_each_lane(active, [&](int lane) {
      to[lane] = result(as_signed(a[lane], bits), as_signed(b[lane], bits));
    });
  };
  switch (does.does) {
    case opcode::move: each([&](int lane) { return a[lane]; }); break;
    case opcode::add: each([&](int lane) { return a[lane] + b[lane]; }); break;
    case opcode::subtract: each([&](int lane) { return a[lane] - b[lane]; }); break;
    case opcode::multiply: each([&](int lane) { return a[lane] * b[lane]; }); break;
    case opcode::multiply_high_signed:
      with_sign([&](std::int64_t x, std::int64_t y) {
        return upper_half(static_cast<unsigned_128>(static_cast<signed_128>(x) * y), bits);
      });
      break;
    case opcode::multiply_high_unsigned:
      plain([&](std::uint64_t x, std::uint64_t y) {
        return upper_half(static_cast<unsigned_128>(x) * y, bits);
      });
      break;
    // The least number divided by -1 overflows in C++: its quotient is itself.
    case opcode::divide_signed:
      divided([&](std::uint64_t x, std::uint64_t y) {
        return y == all ? 0 - x : as_unsigned(as_signed(x, bits) / as_signed(y, bits));
      });
      break;
    case opcode::remainder_signed:
      divided([&](std::uint64_t x, std::uint64_t y) {
        return y == all ? 0 : as_unsigned(as_signed(x, bits) % as_signed(y, bits));
      });
      break;
    case opcode::divide_unsigned:
      divided([](std::uint64_t x, std::uint64_t y) { return x / y; });
      break;
    case opcode::remainder_unsigned:
      divided([](std::uint64_t x, std::uint64_t y) { return x % y; });
      break;
    case opcode::bit_and: each([&](int lane) { return a[lane] & b[lane]; }); break;
    case opcode::bit_or: each([&](int lane) { return a[lane] | b[lane]; }); break;
    case opcode::bit_xor: each([&](int lane) { return a[lane] ^ b[lane]; }); break;
    case opcode::shift_left:
      shifted([&](std::uint64_t x, std::uint64_t by) { return by >= wide ? 0 : x << by; });
      break;
    case opcode::shift_right_unsigned:
      shifted([&](std::uint64_t x, std::uint64_t by) { return by >= wide ? 0 : x >> by; });
      break;
    case opcode::shift_right_signed:
      shifted([&](std::uint64_t x, std::uint64_t by) {
        return as_unsigned(as_signed(x, bits) >> std::min(by, wide - 1));
      });
      break;
    case opcode::funnel_left:
    case opcode::funnel_right:
      each([&](int lane) {
        return funnel(a[lane] & all, b[lane] & all, c[lane] & low_bits(32), bits,
                      does.does == opcode::funnel_left);
      });
      break;
    case opcode::minimum_signed:
      with_sign([](std::int64_t x, std::int64_t y) { return std::min(x, y); });
      break;
    case opcode::maximum_signed:
      with_sign([](std::int64_t x, std::int64_t y) { return std::max(x, y); });
      break;
    case opcode::minimum_unsigned:
      plain([](std::uint64_t x, std::uint64_t y) { return std::min(x, y); });
      break;
    case opcode::maximum_unsigned:
      plain([](std::uint64_t x, std::uint64_t y) { return std::max(x, y); });
      break;
    case opcode::count_ones:
      each([&](int lane) { return static_cast<std::uint64_t>(std::popcount(a[lane] & all)); });
      break;
    case opcode::count_leading_zeros:
      each([&](int lane) {
        return static_cast<std::uint64_t>(std::countl_zero(a[lane] & all) - (64 - bits));
      });
      break;
    case opcode::reverse_bits: each([&](int lane) { return reversed(a[lane], bits); }); break;
    case opcode::highest_bit_signed:
    case opcode::highest_bit_unsigned:
      for_each_lane(active, [&](int lane) {
        to[lane] = highest_bit(a[lane] & all, bits, does.does == opcode::highest_bit_signed);
      });
      break;
    case opcode::extract_signed:
    case opcode::extract_unsigned:
      each([&](int lane) {
        return extracted(a[lane] & all, b[lane], c[lane], bits,
                         does.does == opcode::extract_signed);
      });
      break;
    case opcode::insert:
      each(
          [&](int lane) { return inserted(a[lane] & all, b[lane] & all, c[lane], d[lane], bits); });
      break;
    case opcode::permute:
      each([&](int lane) { return permuted(a[lane], b[lane], c[lane]); });
      break;
    case opcode::extend_signed:
      each([&](int lane) { return sign_extended(a[lane], does.from_bits); });
      break;
    case opcode::extend_unsigned:
      each([&](int lane) { return a[lane] & low_bits(does.from_bits); });
      break;
    case opcode::equal: compared([](std::uint64_t x, std::uint64_t y) { return x == y; }); break;
    case opcode::not_equal:
      compared([](std::uint64_t x, std::uint64_t y) { return x != y; });
      break;
    case opcode::less_unsigned:
      compared([](std::uint64_t x, std::uint64_t y) { return x < y; });
      break;
    case opcode::less_equal_unsigned:
      compared([](std::uint64_t x, std::uint64_t y) { return x <= y; });
      break;
    case opcode::less_signed:
      compared_with_sign([](std::int64_t x, std::int64_t y) { return x < y; });
      break;
    case opcode::less_equal_signed:
      compared_with_sign([](std::int64_t x, std::int64_t y) { return x <= y; });
      break;
    default: break;
  }
  return undefined;
}

std::uint64_t compute_absorbed(const instruction& does, const lane_values* from,
                               std::uint64_t unknown, std::uint64_t* to) {
  if (does.does != opcode::bit_and && does.does != opcode::bit_or && does.does != opcode::multiply)
    return 0;
  const std::uint64_t all = low_bits(does.bits);
  const std::uint64_t absorbing = does.does == opcode::bit_or ? all : 0;
  std::uint64_t known = 0;
  for (int side = 0; side < 2; ++side)
    for_each_lane(unknown & ~from[side].unknown, [&](int lane) {
      if ((from[side][lane] & all) != absorbing) return;
      to[lane] = absorbing;
      known |= std::uint64_t{1} << lane;
    });
  return known;
}

}  // namespace compiled
