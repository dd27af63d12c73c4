// SPDX-License-Identifier: MIT
#include "floating_operations.hpp"

#include <cmath>
#include <optional>

#include "../../bits_as.hpp"

namespace compiled {

namespace {

template <class Number>
Number from_bits(std::uint64_t value) {
  if constexpr (sizeof(Number) == 4)
    return command_line::bits_as<float>(static_cast<std::uint32_t>(value));
  else
    return command_line::bits_as<double>(value);
}
template <class Number>
std::uint64_t to_bits(Number value) {
  if constexpr (sizeof(Number) == 4)
    return command_line::bits_as<std::uint32_t>(value);
  else
    return command_line::bits_as<std::uint64_t>(value);
}

using bits_if_known = std::optional<std::uint64_t>;

// Of either sign, in the middle of the range: an approximate reciprocal of it is exact.
template <class Number>
bool is_power_of_two(Number value) {
  int exponent = 0;
  return std::isfinite(value) && std::fabs(std::frexp(value, &exponent)) == Number{0.5} &&
         exponent > -125 && exponent < 126;
}

template <class Number>
bits_if_known arithmetic(floating_operation operation, Number a, Number b, Number c) {
  switch (operation) {
    case floating_operation::add: return to_bits<Number>(a + b);
    case floating_operation::subtract: return to_bits<Number>(a - b);
    case floating_operation::multiply: return to_bits<Number>(a * b);
    case floating_operation::divide: return to_bits<Number>(a / b);
    case floating_operation::fused: return to_bits<Number>(std::fma(a, b, c));
    // Of -0 and 0, -0 is the lesser here, as in IEEE 754-2019; C++ leaves it open.
    case floating_operation::minimum:
      if (a == b) return to_bits<Number>(std::signbit(a) ? a : b);
      return to_bits<Number>(std::fmin(a, b));
    case floating_operation::maximum:
      if (a == b) return to_bits<Number>(std::signbit(a) ? b : a);
      return to_bits<Number>(std::fmax(a, b));
    case floating_operation::negative: return to_bits<Number>(-a);
    case floating_operation::absolute: return to_bits<Number>(std::fabs(a));
    case floating_operation::square_root: return to_bits<Number>(std::sqrt(a));
    case floating_operation::floor: return to_bits<Number>(std::floor(a));
    case floating_operation::ceiling: return to_bits<Number>(std::ceil(a));
    case floating_operation::truncate: return to_bits<Number>(std::trunc(a));
    case floating_operation::nearest: return to_bits<Number>(std::nearbyint(a));
    case floating_operation::round: return to_bits<Number>(std::round(a));
    // Both are exact, whoever computes them.
    case floating_operation::truncated_remainder: return to_bits<Number>(std::fmod(a, b));
    case floating_operation::nearest_remainder: return to_bits<Number>(std::remainder(a, b));
    case floating_operation::copy_sign: return to_bits<Number>(std::copysign(a, b));
    case floating_operation::logarithm:
      if (sizeof(Number) != 4 || !(a > 0) || !is_power_of_two(a)) return std::nullopt;
      return to_bits<Number>(std::logb(a));
    case floating_operation::fast_quotient:
      if (!is_power_of_two(b)) return std::nullopt;
      return to_bits<Number>(a / b);
    case floating_operation::equal: return a == b;
    case floating_operation::not_equal: return a < b || a > b;
    case floating_operation::less: return a < b;
    case floating_operation::less_equal: return a <= b;
    case floating_operation::greater: return a > b;
    case floating_operation::greater_equal: return a >= b;
    case floating_operation::unordered: return std::isunordered(a, b);
    default: return std::nullopt;
  }
}

// Toward zero; numbers that do not fit and NaN are clamped on a GPU, differently for each width.
template <class Number>
bits_if_known to_integer(Number value, int bits, bool is_signed) {
  const Number integer = std::trunc(value);
  const Number end = std::ldexp(Number{1}, is_signed ? bits - 1 : bits);
  if (!(integer < end) || integer < (is_signed ? -end : Number{0})) return std::nullopt;
  if (is_signed)
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(integer)) & low_bits(bits);
  return static_cast<std::uint64_t>(integer);
}

template <class Number>
bits_if_known from_integer(std::uint64_t value, int bits, bool is_signed) {
  if (is_signed)
    return to_bits<Number>(
        static_cast<Number>(static_cast<std::int64_t>(sign_extended(value, bits))));
  return to_bits<Number>(static_cast<Number>(value & low_bits(bits)));
}

template <class Number>
bool is_near_zero(std::uint64_t value) {
  return std::fpclassify(from_bits<Number>(value)) == FP_SUBNORMAL;
}

bool is_number_width(int bits) { return bits == 32 || bits == 64; }

bits_if_known converted(const instruction& code, std::uint64_t value) {
  const bool is_signed = code.floating == floating_operation::from_signed ||
                         code.floating == floating_operation::to_signed;
  switch (code.floating) {
    case floating_operation::from_signed:
    case floating_operation::from_unsigned:
      if (!is_number_width(code.bits)) return std::nullopt;
      return code.bits == 32 ? from_integer<float>(value, code.from_bits, is_signed)
                             : from_integer<double>(value, code.from_bits, is_signed);
    case floating_operation::to_signed:
    case floating_operation::to_unsigned:
      if (!is_number_width(code.from_bits)) return std::nullopt;
      return code.from_bits == 32 ? to_integer(from_bits<float>(value), code.bits, is_signed)
                                  : to_integer(from_bits<double>(value), code.bits, is_signed);
    default:  // resize
      if (!is_number_width(code.bits) || !is_number_width(code.from_bits)) return std::nullopt;
      if (code.bits == code.from_bits) return value & low_bits(code.bits);
      return code.bits == 32 ? to_bits(static_cast<float>(from_bits<double>(value)))
                             : to_bits(static_cast<double>(from_bits<float>(value)));
  }
}

bool is_conversion(floating_operation operation) {
  return operation >= floating_operation::from_signed && operation <= floating_operation::resize;
}

// Instructions that pass NaN on do not say with which bits.
bool is_nan(std::uint64_t value, int bits) {
  return bits == 32 ? std::isnan(from_bits<float>(value)) : std::isnan(from_bits<double>(value));
}

bool is_comparison(floating_operation operation) { return operation >= floating_operation::equal; }

}  // namespace

std::uint64_t compute_floating(const instruction& code, const lane_values* operands,
                               std::uint64_t active, std::uint64_t* results) {
  const bool converts = is_conversion(code.floating), compares = is_comparison(code.floating);
  if (!converts && !is_number_width(code.bits)) return active;
  const bool from_float = !converts || (code.floating != floating_operation::from_signed &&
                                        code.floating != floating_operation::from_unsigned);
  const bool to_float = !compares && code.floating != floating_operation::to_signed &&
                        code.floating != floating_operation::to_unsigned;
  const int from_width = converts ? code.from_bits : code.bits;
  const auto near_zero = [&](std::uint64_t value, int bits) {
    return code.flushes_subnormals && bits == 32 && is_near_zero<float>(value);
  };
  std::uint64_t unknown = 0;
  for_each_lane(active, [&](int lane) {
    const std::uint64_t a = operands[0][lane],
                        b = operands[1].value != nullptr ? operands[1][lane] : 0,
                        c = operands[2].value != nullptr ? operands[2][lane] : 0;
    bits_if_known value;
    if (converts)
      value = converted(code, a);
    else if (code.bits == 32)
      value =
          arithmetic(code.floating, from_bits<float>(a), from_bits<float>(b), from_bits<float>(c));
    else
      value = arithmetic(code.floating, from_bits<double>(a), from_bits<double>(b),
                         from_bits<double>(c));
    bool known = value.has_value();
    if (known && from_float)
      known = !near_zero(a, from_width) && !near_zero(b, from_width) && !near_zero(c, from_width);
    if (known && to_float) known = !near_zero(*value, code.bits) && !is_nan(*value, code.bits);
    if (known)
      results[lane] = *value;
    else
      unknown |= std::uint64_t{1} << lane;
  });
  return unknown;
}

}  // namespace compiled
