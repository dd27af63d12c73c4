// SPDX-License-Identifier: MIT
#include "as_in_c.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace command_line {

namespace {

using bm::operation;

bounds hull(std::initializer_list<double> values) {
  bounds result{std::min(values), std::max(values)};
  for (const double value : values)  // infinity times 0
    if (std::isnan(value)) result = {};
  return result;
}

void add_operation(program& result, operation op, long long constant) {
  result.nodes.push_back({operation::constant, constant});
  result.nodes.push_back({op, 0});
}

// The value modulo 2^bits, at least 0. In 64 bits `&` does that for negative numbers too.
program low_bits_of(const program& operand, int bits) {
  const long long mask = (1ll << bits) - 1;
  program result = operand;
  if (operand.nodes.size() == 1 && operand.nodes[0].op == operation::constant)
    result.nodes[0].value &= mask;
  else
    add_operation(result, operation::bit_and, mask);
  result.range = {0, static_cast<double>(mask)};
  if (operand.nodes.size() == 1 && operand.nodes[0].op == operation::constant)
    result.range = {static_cast<double>(result.nodes[0].value),
                    static_cast<double>(result.nodes[0].value)};
  return result;
}

// The value modulo 2^bits, between -2^(bits - 1) and 2^(bits - 1) - 1.
program signed_bits_of(const program& operand, int bits) {
  const long long half = 1ll << (bits - 1);
  const auto bound = static_cast<double>(half);
  program result = operand.range.fits(-two_to_62, two_to_62) ? operand : low_bits_of(operand, bits);
  if (result.nodes.size() == 1 && result.nodes[0].op == operation::constant) {
    const long long low = low_bits_of(result, bits).nodes[0].value;
    result.nodes[0].value = low < half ? low : low - 2 * half;
    const auto value = static_cast<double>(result.nodes[0].value);
    result.range = {value, value};
    return result;
  }
  add_operation(result, operation::add, half);
  result = low_bits_of(result, bits);
  add_operation(result, operation::subtract, half);
  result.range = {-bound, bound - 1};
  return result;
}

}  // namespace

number_type common_type(const number_type& left, const number_type& right) {
  if (left.bits == right.bits) return {left.bits, left.is_unsigned || right.is_unsigned};
  return left.bits > right.bits ? left : right;
}

program exact(const program& operand) {
  if (!operand.type.is_unsigned || operand.is_unknown) return operand;
  if (operand.type.bits == 32)
    return operand.range.fits(0, two_to_32 - 1) ? operand : low_bits_of(operand, 32);
  if (!operand.range.fits(0, two_to_63 - 1024))  // the largest double below 2^63
    throw refusal{operand.location,
                  "an unsigned value of 64 bits that may be below 0, where C has a number of more "
                  "than 63 bits",
                  "compute with int or long long: int x = threadIdx.x, or tx"};
  return operand;
}

program converted(const program& operand, const number_type& target) {
  if (operand.is_unknown) return operand;
  program result = as_number(operand);
  if (result.type == target) return result;
  if (target.bits == 64 && result.type.bits == 32) result = exact(result);
  if (target.bits < 32 || target == int_type) {
    const double end = std::exp2(target.is_unsigned ? target.bits : target.bits - 1);
    if (!result.range.fits(target.is_unsigned ? 0 : -end, end - 1))
      result = target.is_unsigned ? low_bits_of(result, target.bits)
                                  : signed_bits_of(result, target.bits);
  }
  result.type = target.bits < 32 ? int_type : target;
  return result;
}

program as_subscript(const program& operand) {
  const program number = as_number(operand);
  if (number.type.is_unsigned && number.range.fits(-two_to_32, two_to_32 - 1)) return number;
  return exact(number);
}

bounds range_of(operation op, const bounds& a, const bounds& b) {
  switch (op) {
    case operation::add: return hull({a.minimum + b.minimum, a.maximum + b.maximum});
    case operation::subtract: return hull({a.minimum - b.maximum, a.maximum - b.minimum});
    case operation::multiply:
      return hull({a.minimum * b.minimum, a.minimum * b.maximum, a.maximum * b.minimum,
                   a.maximum * b.maximum});
    case operation::shift_left: {
      const double low = std::exp2(std::clamp(b.minimum, 0.0, 63.0)),
                   high = std::exp2(std::clamp(b.maximum, 0.0, 63.0));
      return hull({a.minimum * low, a.minimum * high, a.maximum * low, a.maximum * high});
    }
    case operation::divide:  // the operands are not negative, or it is an error
      return {0, std::max(a.maximum / std::max(b.minimum, 1.0), 0.0)};
    case operation::remainder: return {0, std::max(std::min(a.maximum, b.maximum - 1), 0.0)};
    case operation::shift_right: {
      const double low = std::exp2(std::clamp(b.minimum, 0.0, 63.0)),
                   high = std::exp2(std::clamp(b.maximum, 0.0, 63.0));
      return hull({std::floor(a.minimum / low), std::floor(a.minimum / high),
                   std::floor(a.maximum / low), std::floor(a.maximum / high)});
    }
    case operation::minimum:
      return {std::min(a.minimum, b.minimum), std::min(a.maximum, b.maximum)};
    case operation::maximum:
      return {std::max(a.minimum, b.minimum), std::max(a.maximum, b.maximum)};
    case operation::bit_and:
      if (a.minimum >= 0 || b.minimum >= 0)
        return {0, std::min(a.minimum >= 0 ? a.maximum : b.maximum,
                            b.minimum >= 0 ? b.maximum : a.maximum)};
      [[fallthrough]];
    default: {  // within the bits of both sides
      const double reach = std::max(
          {std::abs(a.minimum), std::abs(a.maximum), std::abs(b.minimum), std::abs(b.maximum)});
      const double limit = std::exp2(std::ceil(std::log2(reach + 1)));
      return {a.minimum < 0 || b.minimum < 0 ? -limit : 0, limit - 1};
    }
  }
}

void require_no_overflow(std::string_view symbol, const place& position, const number_type& type,
                         const bounds& range) {
  if (!range.is_known() || type.is_unsigned || type.bits == 64) return;
  if (range.fits(-two_to_31, two_to_31 - 1)) return;
  if (range.minimum == range.maximum) {
    const std::string number = std::abs(range.minimum) < two_to_63
                                   ? std::to_string(static_cast<long long>(range.minimum))
                                   : joined("the result of `", symbol, "`");
    throw refusal{position, joined(number, " does not fit in the 32 bits of int"),
                  "write the intended number, or compute with long long: 1ll * .."};
  }
  throw refusal{position, joined("`", symbol, "` may give more than the 32 bits of C's int"),
                "use smaller numbers, or compute with long long: 1ll * .."};
}

}  // namespace command_line
