// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_PERMUTATION_HPP
#define BANKMODEL_LAYOUT_PERMUTATION_HPP

#include <bankmodel/core/arithmetic.hpp>
#include <bankmodel/core/four.hpp>

namespace bankmodel {

// Kinds of layouts, the simplest index function first. Padded rows are rows; a table is of run
// time only (existence.hpp).
enum class layout_family : unsigned char {
  rows,
  xor_swizzle,
  rotation,
  triangular,
  modular,
  linear,
  table
};

namespace rule {
[[noreturn]] BANKMODEL_FN void groups_must_be_powers_of_two_that_fit_the_rows(long long group,
                                                                              long long columns) {
  detail::fail(__func__,
               "groups of % elements in rows of % (0: of any array); use a power of two that "
               "divides the row, and in a modular layout its padding, "
               "too; instead of in_groups_of(), xor_swizzle() takes a larger base and linear() "
               "lower bits that stay",
               group, columns);
}
}  // namespace rule

// How the elements of an array change places: a family and its numbers, made by xor_swizzle(),
// rotation(), triangular(), modular() or linear(), and given to layout::permuted(). Scalars only,
// so that nvcc takes it as a template argument.
struct permutation {
  layout_family family = layout_family::rows;
  unsigned char form = 0;  // which of the family's index functions
  int group = 1;           // so many neighbours in a row stay together, a power of two
  detail::four number;     // the family's own: see its file

  // The same for groups of so many elements instead of single ones: rotation(1).in_groups_of(4)
  // keeps a float4 whole.
  BANKMODEL_FN permutation in_groups_of(int elements) const {
    if (!detail::is_power_of_two(elements) || family == layout_family::xor_swizzle ||
        family == layout_family::linear)
      rule::groups_must_be_powers_of_two_that_fit_the_rows(elements, 0);
    permutation result = *this;
    result.group = elements;
    return result;
  }

  bool operator==(const permutation&) const = default;
};

}  // namespace bankmodel

#endif
