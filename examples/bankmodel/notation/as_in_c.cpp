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
  for (const double one : values)  // infinity times 0
    if (std::isnan(one)) result = {};
  return result;
}

void append(program& to, operation op, long long constant) {
  to.nodes.push_back({operation::constant, constant});
  to.nodes.push_back({op, 0});
}

// The value modulo 2^bits, at least 0. In 64 bits `&` does that for negative numbers too.
program low_bits_of(const program& of, int bits) {
  const long long mask = (1ll << bits) - 1;
  program result = of;
  if (of.nodes.size() == 1 && of.nodes[0].op == operation::constant)
    result.nodes[0].value &= mask;
  else
    append(result, operation::bit_and, mask);
  result.range = {0, static_cast<double>(mask)};
  if (of.nodes.size() == 1 && of.nodes[0].op == operation::constant)
    result.range = {static_cast<double>(result.nodes[0].value),
                    static_cast<double>(result.nodes[0].value)};
  return result;
}

// The value modulo 2^bits, between -2^(bits - 1) and 2^(bits - 1) - 1.
program signed_bits_of(const program& of, int bits) {
  const long long half = 1ll << (bits - 1);
  const auto bound = static_cast<double>(half);
  program result = of.range.within(-two_to_62, two_to_62) ? of : low_bits_of(of, bits);
  if (result.nodes.size() == 1 && result.nodes[0].op == operation::constant) {
    const long long low = low_bits_of(result, bits).nodes[0].value;
    result.nodes[0].value = low < half ? low : low - 2 * half;
    const auto value = static_cast<double>(result.nodes[0].value);
    result.range = {value, value};
    return result;
  }
  append(result, operation::add, half);
  result = low_bits_of(result, bits);
  append(result, operation::subtract, half);
  result.range = {-bound, bound - 1};
  return result;
}

}  // namespace

number_type common_type(const number_type& left, const number_type& right) {
  if (left.bits == right.bits) return {left.bits, left.is_unsigned || right.is_unsigned};
  return left.bits > right.bits ? left : right;
}

program exact(const program& of) {
  if (!of.type.is_unsigned || of.is_unknown) return of;
  if (of.type.bits == 32) return of.range.within(0, two_to_32 - 1) ? of : low_bits_of(of, 32);
  if (!of.range.within(0, two_to_63 - 1024))  // the largest double below 2^63
    throw refusal{of.where,
                  "an unsigned value of 64 bits that may be below 0, where C has a number of more "
                  "than 63 bits",
                  "compute with int or long long: int x = threadIdx.x, or tx"};
  return of;
}

program converted(const program& of, const number_type& to) {
  if (of.is_unknown) return of;
  program result = as_number(of);
  if (result.type == to) return result;
  if (to.bits == 64 && result.type.bits == 32) result = exact(result);
  if (to.bits < 32 || to == int_type) {
    const double end = std::exp2(to.is_unsigned ? to.bits : to.bits - 1);
    if (!result.range.within(to.is_unsigned ? 0 : -end, end - 1))
      result = to.is_unsigned ? low_bits_of(result, to.bits) : signed_bits_of(result, to.bits);
  }
  result.type = to.bits < 32 ? int_type : to;
  return result;
}

program as_subscript(const program& of) {
  const program number = as_number(of);
  if (number.type.is_unsigned && number.range.within(-two_to_32, two_to_32 - 1)) return number;
  return exact(number);
}

bounds range_of(operation op, const bounds& a, const bounds& b) {
  switch (op) {
    case operation::add: return hull({a.least + b.least, a.most + b.most});
    case operation::subtract: return hull({a.least - b.most, a.most - b.least});
    case operation::multiply:
      return hull({a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most});
    case operation::shift_left: {
      const double low = std::exp2(std::clamp(b.least, 0.0, 63.0)),
                   high = std::exp2(std::clamp(b.most, 0.0, 63.0));
      return hull({a.least * low, a.least * high, a.most * low, a.most * high});
    }
    case operation::divide:  // the operands are not negative, or it is an error
      return {0, std::max(a.most / std::max(b.least, 1.0), 0.0)};
    case operation::remainder: return {0, std::max(std::min(a.most, b.most - 1), 0.0)};
    case operation::shift_right: {
      const double low = std::exp2(std::clamp(b.least, 0.0, 63.0)),
                   high = std::exp2(std::clamp(b.most, 0.0, 63.0));
      return hull({std::floor(a.least / low), std::floor(a.least / high), std::floor(a.most / low),
                   std::floor(a.most / high)});
    }
    case operation::minimum: return {std::min(a.least, b.least), std::min(a.most, b.most)};
    case operation::maximum: return {std::max(a.least, b.least), std::max(a.most, b.most)};
    case operation::bit_and:
      if (a.least >= 0 || b.least >= 0)
        return {0, std::min(a.least >= 0 ? a.most : b.most, b.least >= 0 ? b.most : a.most)};
      [[fallthrough]];
    default: {  // within the bits of both sides
      const double reach =
          std::max({std::abs(a.least), std::abs(a.most), std::abs(b.least), std::abs(b.most)});
      const double all = std::exp2(std::ceil(std::log2(reach + 1)));
      return {a.least < 0 || b.least < 0 ? -all : 0, all - 1};
    }
  }
}

void require_no_overflow(std::string_view symbol, const place& at, const number_type& type,
                         const bounds& range) {
  if (!range.is_known() || type.is_unsigned || type.bits == 64) return;
  if (range.within(-two_to_31, two_to_31 - 1)) return;
  if (range.least == range.most) {
    const std::string number = std::abs(range.least) < two_to_63
                                   ? std::to_string(static_cast<long long>(range.least))
                                   : joined("the result of `", symbol, "`");
    throw refusal{at, joined(number, " does not fit in the 32 bits of int"),
                  "write the intended number, or compute with long long: 1ll * .."};
  }
  throw refusal{at, joined("`", symbol, "` may give more than the 32 bits of C's int"),
                "use smaller numbers, or compute with long long: 1ll * .."};
}

}  // namespace command_line
