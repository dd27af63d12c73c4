// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_INTEROP_DETAIL_NUMBERS_HPP
#define BANKMODEL_INTEROP_DETAIL_NUMBERS_HPP

#include <bankmodel/layout/families.hpp>

// The layouts of all these libraries are functions of an element's row-major number. So a layout
// can be converted if both functions store each number at the same place.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void a_dialect_must_be_given_a_plain_array(long long elements) {
  detail::fail(__func__,
               "an array of % elements is padded or permuted already; pass row_major(extents...), "
               "to which the conversion applies padding or swizzle",
               elements);
}
}  // namespace rule

namespace detail {

// The number of elements, padding not included.
BANKMODEL_FN long long numbers_of(const layout& l) {
  return checked_multiply(l.rows(), l.extent[l.rank - 1]);
}

// Where the element of this number is stored.
BANKMODEL_FN long long place_of_number(const layout& l, long long number) {
  four coordinate;
  for (int d = l.rank - 1; d > 0; --d) {
    coordinate[d] = number % l.extent[d];
    number /= l.extent[d];
  }
  switch (l.rank) {
    case 1: return l(number);
    case 2: return l(number, coordinate[1]);
    case 3: return l(number, coordinate[1], coordinate[2]);
    default: return l(number, coordinate[1], coordinate[2], coordinate[3]);
  }
}

BANKMODEL_FN bool has_gaps(const layout& l) {
  return l.interval != 0 || l.extent[0] * l.stride[0] != numbers_of(l) ||
         (l.permutation.family == layout_family::modular && l.permutation.form == 1);
}
BANKMODEL_FN bool is_plain(const layout& l) {
  return l.permutation.family == layout_family::rows && !has_gaps(l);
}
BANKMODEL_FN void require_plain(const layout& array) {
  if (!is_plain(array)) rule::a_dialect_must_be_given_a_plain_array(numbers_of(array));
}

// The first dimension whose extent is not a power of two; -1 for none.
BANKMODEL_FN int dimension_of_no_power_of_two(const layout& l) {
  for (int d = 0; d < l.rank; ++d)
    if (!is_power_of_two(l.extent[d])) return d;
  return -1;
}

// True if the place of a number is the sum, or the XOR, of the places of its bits.
BANKMODEL_FN bool consists_of_bits(const layout& l) {
  if (dimension_of_no_power_of_two(l) >= 0 || l.interval != 0) return false;
  const layout_family family = l.permutation.family;
  return family == layout_family::rows || family == layout_family::linear ||
         (family == layout_family::xor_swizzle && !has_gaps(l));
}

// A number that the layout and `other` store at different places; -1 if there is none. If both
// consist of bits, it is enough to compare the places of all single bits and of the last number: if
// one is a sum and one an XOR, they agree on the last number only if no two places have a bit in
// common, and then they agree on all numbers. Else every number is compared.
template <class Function>
BANKMODEL_FN long long disagreement(const layout& l, const Function& other) {
  const long long last = numbers_of(l) - 1;
  if (!consists_of_bits(l)) {
    for (long long number = 0; number <= last; ++number)
      if (place_of_number(l, number) != other(number)) return number;
    return -1;
  }
  for (long long bit = 1; bit <= last; bit *= 2)
    if (place_of_number(l, bit) != other(bit)) return bit;
  return place_of_number(l, last) != other(last) ? last : -1;
}

}  // namespace detail
}  // namespace bankmodel

#endif
