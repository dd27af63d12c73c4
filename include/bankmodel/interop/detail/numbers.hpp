// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_INTEROP_DETAIL_NUMBERS_HPP
#define BANKMODEL_INTEROP_DETAIL_NUMBERS_HPP

#include <bankmodel/layout/families.hpp>

// What the dialects share: all of them are functions of an element's number, row-major, so a
// layout can be said in one exactly where both put each number into the same place.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void a_dialect_must_be_given_a_plain_array(long long elements) {
  detail::fail(__func__,
               "an array of % elements that is padded or permuted already; give it as "
               "row_major(extents...), the dialect's numbers do the rest",
               elements);
}
}  // namespace rule

namespace detail {

// Elements without padding; their numbers are below this.
BANKMODEL_FN long long numbers_of(const layout& l) {
  return checked_multiply(l.rows(), l.extent[l.rank - 1]);
}

// Where the element of that number lies.
BANKMODEL_FN long long place_of_number(const layout& l, long long number) {
  four at;
  for (int d = l.rank - 1; d > 0; --d) {
    at[d] = number % l.extent[d];
    number /= l.extent[d];
  }
  switch (l.rank) {
    case 1: return l(number);
    case 2: return l(number, at[1]);
    case 3: return l(number, at[1], at[2]);
    default: return l(number, at[1], at[2], at[3]);
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

// Whether a place is the sum, or the XOR, of the places of the bits of its number.
BANKMODEL_FN bool consists_of_bits(const layout& l) {
  if (dimension_of_no_power_of_two(l) >= 0 || l.interval != 0) return false;
  const layout_family family = l.permutation.family;
  return family == layout_family::rows || family == layout_family::linear ||
         (family == layout_family::xor_swizzle && !has_gaps(l));
}

// A number that the layout and `other` put into different places; -1 for none. `other` is a sum or
// an XOR of bits as well. Where both consist of bits, all bits and the last number decide,
// whichever of the two each is: a sum is never less than the XOR of the same places, and equal
// only where no two of them have a bit in common, so then for any of them, too. Elsewhere each
// number is looked at, up to the first that differs.
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
