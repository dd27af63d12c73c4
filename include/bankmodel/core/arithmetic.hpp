// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_CORE_ARITHMETIC_HPP
#define BANKMODEL_CORE_ARITHMETIC_HPP

#include <bankmodel/core/error.hpp>

#include <cstdint>

namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void index_arithmetic_must_fit_in_64_bits(long long left,
                                                                    long long right) {
  detail::fail(__func__,
               "an index or an address overflows 64 bits, with operands % and %; use smaller "
               "bounds, strides or offsets",
               left, right);
}
[[noreturn]] BANKMODEL_FN void counts_must_fit_in_64_bits() {
  detail::fail(__func__,
               "a count of requests or wavefronts overflows 64 bits; use fewer iterations");
}
}  // namespace rule

namespace detail {

// The types that count as numbers: integers of up to 64 bits, and unscoped enumerators (kernels
// name sizes with them). These can be template arguments for an integer; floating-point
// numbers, pointers and scoped enumerators cannot. (<concepts> would add a third to the cost of all
// headers.)
template <long long>
struct taken_as_an_integer;
template <class T>
concept number = requires { typename taken_as_an_integer<T{}>; } && sizeof(T) <= 8;

constexpr long long int64_max = 0x7fffffffffffffffll;
constexpr long long int64_min = -int64_max - 1;

// Sum, difference and product.
// Error: the result overflows 64 bits. The builtins are single instructions and cheap in
// constant expressions; nvcc's device pass gets plain code.
BANKMODEL_FN long long checked_add(long long a, long long b) {
#if defined(__CUDACC__)
  if (b > 0 ? a > int64_max - b : a < int64_min - b)
    rule::index_arithmetic_must_fit_in_64_bits(a, b);
  return a + b;
#else
  long long sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) rule::index_arithmetic_must_fit_in_64_bits(a, b);
  return sum;
#endif
}

BANKMODEL_FN long long checked_subtract(long long a, long long b) {
#if defined(__CUDACC__)
  if (b > 0 ? a < int64_min + b : a > int64_max + b)
    rule::index_arithmetic_must_fit_in_64_bits(a, b);
  return a - b;
#else
  long long difference = 0;
  if (__builtin_sub_overflow(a, b, &difference)) rule::index_arithmetic_must_fit_in_64_bits(a, b);
  return difference;
#endif
}

BANKMODEL_FN long long checked_multiply(long long a, long long b) {
#if defined(__CUDACC__)
  const bool negative = (a < 0) != (b < 0);
  const auto x = a < 0 ? 0 - static_cast<std::uint64_t>(a) : static_cast<std::uint64_t>(a);
  const auto y = b < 0 ? 0 - static_cast<std::uint64_t>(b) : static_cast<std::uint64_t>(b);
  const auto limit = static_cast<std::uint64_t>(int64_max) + (negative ? 1 : 0);
  if (y != 0 && x > limit / y) rule::index_arithmetic_must_fit_in_64_bits(a, b);
  return static_cast<long long>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
#else
  long long product = 0;
  if (__builtin_mul_overflow(a, b, &product)) rule::index_arithmetic_must_fit_in_64_bits(a, b);
  return product;
#endif
}

BANKMODEL_FN std::uint64_t checked_count_sum(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t sum = a + b;
  if (sum < a) rule::counts_must_fit_in_64_bits();
  return sum;
}

BANKMODEL_FN std::uint64_t checked_count_product(std::uint64_t a, std::uint64_t b) {
#if defined(__CUDACC__)
  if (b != 0 && a > ~std::uint64_t{0} / b) rule::counts_must_fit_in_64_bits();
  return a * b;
#else
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) rule::counts_must_fit_in_64_bits();
  return product;
#endif
}

BANKMODEL_FN bool is_power_of_two(long long value) {
  return value > 0 && (value & (value - 1)) == 0;
}

// The greatest common divisor, which is not negative; of 0 and another number, that number's
// absolute value.
BANKMODEL_FN long long greatest_common_divisor(long long a, long long b) {
  if (a < 0) a = -a;
  if (b < 0) b = -b;
  while (b != 0) {
    const long long rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// The number of zero bits below the lowest 1-bit: the exponent, for a power of two.
// Requires: value != 0.
BANKMODEL_FN int trailing_zeros(std::uint64_t value) {
#if defined(__CUDACC__)
  int zeros = 0;
  for (int step = 32; step > 0; step /= 2)
    if ((value & ((std::uint64_t{1} << step) - 1)) == 0) value >>= step, zeros += step;
  return zeros;
#else
  return __builtin_ctzll(value);
#endif
}

// The index of the highest 1-bit.
// Requires: value != 0.
BANKMODEL_FN int highest_bit(std::uint64_t value) {
#if defined(__CUDACC__)
  int bit = 0;
  for (int step = 32; step > 0; step /= 2)
    if (value >> step != 0) value >>= step, bit += step;
  return bit;
#else
  return 63 - __builtin_clzll(value);
#endif
}

}  // namespace detail
}  // namespace bankmodel

#endif
