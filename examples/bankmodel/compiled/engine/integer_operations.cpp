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
std::uint64_t inserted(std::uint64_t base, std::uint64_t field, std::uint64_t first,
                       std::uint64_t length, int bits) {
  first &= 0xff;
  length &= 0xff;
  if (length == 0 || first >= static_cast<std::uint64_t>(bits)) return base;
  const int size = static_cast<int>(std::min<std::uint64_t>(length, 64));
  const std::uint64_t mask = low_bits(size) << first;
  return (base & ~mask) | ((field << first) & mask);
}

// PTX's prmt: each byte of the result is one of eight bytes, or its sign.
std::uint64_t permuted(std::uint64_t low, std::uint64_t high, std::uint64_t selector) {
  const std::uint64_t bytes = (low & low_bits(32)) | high << 32;
  std::uint64_t result = 0;
  for (int position = 0; position < 4; ++position) {
    const std::uint64_t select = selector >> (4 * position) & 15;
    std::uint64_t byte = bytes >> (8 * (select & 7)) & 255;
    if ((select & 8) != 0) byte = (byte & 128) != 0 ? 255 : 0;
    result |= byte << (8 * position);
  }
  return result;
}

std::uint64_t funnel(std::uint64_t low, std::uint64_t high, std::uint64_t distance, int bits,
                     bool is_left) {
  const int shift = static_cast<int>(distance % static_cast<std::uint64_t>(bits));
  if (shift == 0) return is_left ? high : low;
  return is_left ? high << shift | low >> (bits - shift) : low >> shift | high << (bits - shift);
}

}  // namespace

std::uint64_t compute_integers(const instruction& code, const lane_values* operands,
                               std::uint64_t active, std::uint64_t* results) {
  const int bits = code.bits;
  const std::uint64_t mask = low_bits(bits);
  const lane_values a = operands[0], b = operands[1], c = operands[2], d = operands[3];
  std::uint64_t undefined = 0;
  const auto compute = [&](const auto& result) {
    for_each_lane(active, [&](int lane) { results[lane] = result(lane) & mask; });
  };
  // Of two operands: unsigned and signed.
  const auto plain = [&](const auto& result) {
    compute([&](int lane) { return result(a[lane] & mask, b[lane] & mask); });
  };
  const auto with_sign = [&](const auto& result) {
    compute([&](int lane) {
      return static_cast<std::uint64_t>(result(as_signed(a[lane], bits), as_signed(b[lane], bits)));
    });
  };
  // The distance of a shift has 32 bits, however many the value has.
  const auto shifted = [&](const auto& result) {
    compute([&](int lane) { return result(a[lane] & mask, b[lane] & (mask | low_bits(32))); });
  };
  const auto divided = [&](const auto& result) {
    compute([&](int lane) -> std::uint64_t {
      if ((b[lane] & mask) != 0) return result(a[lane] & mask, b[lane] & mask);
      undefined |= std::uint64_t{1} << lane;
      return 0;
    });
  };
  const auto wide = static_cast<std::uint64_t>(bits);
  const auto compared = [&](const auto& result) {
    for_each_lane(active,
                  [&](int lane) { results[lane] = result(a[lane] & mask, b[lane] & mask); });
  };
  const auto compared_with_sign = [&](const auto& result) {
    for_each_lane(active, [&](int lane) {
      results[lane] = result(as_signed(a[lane], bits), as_signed(b[lane], bits));
    });
  };
  switch (code.operation) {
    case opcode::move: compute([&](int lane) { return a[lane]; }); break;
    case opcode::add: compute([&](int lane) { return a[lane] + b[lane]; }); break;
    case opcode::subtract: compute([&](int lane) { return a[lane] - b[lane]; }); break;
    case opcode::multiply: compute([&](int lane) { return a[lane] * b[lane]; }); break;
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
        return y == mask ? 0 - x : as_unsigned(as_signed(x, bits) / as_signed(y, bits));
      });
      break;
    case opcode::remainder_signed:
      divided([&](std::uint64_t x, std::uint64_t y) {
        return y == mask ? 0 : as_unsigned(as_signed(x, bits) % as_signed(y, bits));
      });
      break;
    case opcode::divide_unsigned:
      divided([](std::uint64_t x, std::uint64_t y) { return x / y; });
      break;
    case opcode::remainder_unsigned:
      divided([](std::uint64_t x, std::uint64_t y) { return x % y; });
      break;
    case opcode::bit_and: compute([&](int lane) { return a[lane] & b[lane]; }); break;
    case opcode::bit_or: compute([&](int lane) { return a[lane] | b[lane]; }); break;
    case opcode::bit_xor: compute([&](int lane) { return a[lane] ^ b[lane]; }); break;
    case opcode::shift_left:
      shifted([&](std::uint64_t x, std::uint64_t distance) {
        return distance >= wide ? 0 : x << distance;
      });
      break;
    case opcode::shift_right_unsigned:
      shifted([&](std::uint64_t x, std::uint64_t distance) {
        return distance >= wide ? 0 : x >> distance;
      });
      break;
    case opcode::shift_right_signed:
      shifted([&](std::uint64_t x, std::uint64_t distance) {
        return as_unsigned(as_signed(x, bits) >> std::min(distance, wide - 1));
      });
      break;
    case opcode::funnel_left:
    case opcode::funnel_right:
      compute([&](int lane) {
        return funnel(a[lane] & mask, b[lane] & mask, c[lane] & low_bits(32), bits,
                      code.operation == opcode::funnel_left);
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
      compute([&](int lane) { return static_cast<std::uint64_t>(std::popcount(a[lane] & mask)); });
      break;
    case opcode::count_leading_zeros:
      compute([&](int lane) {
        return static_cast<std::uint64_t>(std::countl_zero(a[lane] & mask) - (64 - bits));
      });
      break;
    case opcode::reverse_bits: compute([&](int lane) { return reversed(a[lane], bits); }); break;
    case opcode::highest_bit_signed:
    case opcode::highest_bit_unsigned:
      for_each_lane(active, [&](int lane) {
        results[lane] =
            highest_bit(a[lane] & mask, bits, code.operation == opcode::highest_bit_signed);
      });
      break;
    case opcode::extract_signed:
    case opcode::extract_unsigned:
      compute([&](int lane) {
        return extracted(a[lane] & mask, b[lane], c[lane], bits,
                         code.operation == opcode::extract_signed);
      });
      break;
    case opcode::insert:
      compute([&](int lane) {
        return inserted(a[lane] & mask, b[lane] & mask, c[lane], d[lane], bits);
      });
      break;
    case opcode::permute:
      compute([&](int lane) { return permuted(a[lane], b[lane], c[lane]); });
      break;
    case opcode::extend_signed:
      compute([&](int lane) { return sign_extended(a[lane], code.from_bits); });
      break;
    case opcode::extend_unsigned:
      compute([&](int lane) { return a[lane] & low_bits(code.from_bits); });
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

std::uint64_t compute_absorbed(const instruction& code, const lane_values* operands,
                               std::uint64_t unknown, std::uint64_t* results) {
  if (code.operation != opcode::bit_and && code.operation != opcode::bit_or &&
      code.operation != opcode::multiply)
    return 0;
  const std::uint64_t mask = low_bits(code.bits);
  const std::uint64_t absorbing = code.operation == opcode::bit_or ? mask : 0;
  std::uint64_t known = 0;
  for (int side = 0; side < 2; ++side)
    for_each_lane(unknown & ~operands[side].unknown, [&](int lane) {
      if ((operands[side][lane] & mask) != absorbing) return;
      results[lane] = absorbing;
      known |= std::uint64_t{1} << lane;
    });
  return known;
}

}  // namespace compiled
