// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_PERMUTATION_HPP
#define BANKMODEL_LAYOUT_PERMUTATION_HPP

#include <bankmodel/core/arithmetic.hpp>
#include <bankmodel/core/four.hpp>

namespace bankmodel {

struct layout;

// Families of layouts in the order of preference, the simplest index function first. Padded rows
// are rows; a table is looked up, on the host alone (search/table_layout.hpp); `other` is a
// family of one's own, which no search tries.
enum class layout_family : unsigned char {
  rows,
  xor_swizzle,
  rotation,
  triangular,
  modular,
  linear,
  table,
  other
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
[[noreturn]] BANKMODEL_FN void permutations_must_come_from_a_family(long long family) {
  detail::fail(__func__,
               "a permutation of family % without functions of that family; call rotation(..), "
               "xor_swizzle(..) or another function that returns one",
               family);
}
}  // namespace rule

namespace detail {

struct index_program;

// What a family says of its layouts. The index function is written once, as Family::place
// (layout/family.hpp): `element` computes it, `write` writes it down as a program, and all other
// uses read that program.
struct family_functions {
  long long (*element)(const layout& of, const four& at);
  four (*coordinates)(const layout& of,
                      long long element);  // the inverse; -1 first where no element is
  long long (*size)(const layout& of);     // elements of storage
  long long (*kept_together)(
      const layout& of);              // neighbours in a row that stay neighbours, a power of two
  void (*require)(const layout& of);  // Error: what is not one to one
  void (*write)(const layout& of, index_program& to, bool for_kernels);
};

// Which family, in a form that may be part of a template argument: nvcc writes template arguments
// into its host code, and g++ 12 then refuses pointers to functions, nvcc in device code pointers
// to objects. Pointers to members pass both.
struct any_family {
  template <class Family>
  BANKMODEL_FN family_functions functions() {
    return Family::functions();
  }
};
using family_pointer = family_functions (any_family::*)();

}  // namespace detail

// How the elements of an array change places: a family and its numbers, made by xor_swizzle(),
// rotation(), triangular(), modular() or linear() (layout/families.hpp), and given to
// layout::permuted().
struct permutation {
  layout_family family = layout_family::rows;
  unsigned char form = 0;  // which of the family's index functions
  int group = 1;           // so many neighbours in a row stay together, a power of two
  detail::four number;     // the family's own: see its file
  detail::family_pointer functions = nullptr;
  const int* table = nullptr;  // where the elements of a table are, else none

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

namespace detail {
BANKMODEL_FN family_functions functions_of(const permutation& p) {
  if (p.functions == nullptr)
    rule::permutations_must_come_from_a_family(static_cast<long long>(p.family));
  return (any_family{}.*p.functions)();
}
}  // namespace detail

}  // namespace bankmodel

#endif
