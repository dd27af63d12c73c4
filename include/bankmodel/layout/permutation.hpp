// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_PERMUTATION_HPP
#define BANKMODEL_LAYOUT_PERMUTATION_HPP

#include <bankmodel/core/arithmetic.hpp>
#include <bankmodel/core/four.hpp>

namespace bankmodel {

struct layout;

// Families of layouts in the order of preference, the simplest index function first. Padded rows
// are `rows`; a `table` is looked up, only on the host (host/search/table_layout.hpp); `other` is a
// family of your own, which no search tries.
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
               "groups of % elements in rows of % (0: any); use a power of two that divides the "
               "row, and in a modular layout its padding; without in_groups_of(), use a larger "
               "base in xor_swizzle(), and keep the lowest bits in linear()",
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

// The functions of a family. The index function is written once, as Family::place
// (layout/family.hpp): `element` computes it, `write` converts it to a program, and all other uses
// read that program.
struct family_functions {
  long long (*element)(const layout& array_layout, const four& position);
  four (*coordinates)(const layout& array_layout,
                      long long element);  // the inverse; {-1, ..} if no element is stored there
  long long (*size)(const layout& array_layout);  // elements of storage
  long long (*kept_together)(
      const layout& array_layout);  // neighbours in a row that stay neighbours, a power of two
  void (*require)(const layout& array_layout);  // Error: the layout is not one to one
  void (*write)(const layout& array_layout, index_program& program, bool for_kernels);
};

// A family in a form that may be part of a template argument: nvcc writes template arguments into
// its host code, where g++ 12 rejects pointers to functions, and nvcc's device code rejects
// pointers to objects. Both accept pointers to members.
struct any_family {
  template <class Family>
  BANKMODEL_FN family_functions functions(layout_family family) {
    if constexpr (requires { Family::is_no_family; })
      rule::permutations_must_come_from_a_family(static_cast<long long>(family));
    else
      return Family::functions();
  }
};
using family_pointer = family_functions (any_family::*)(layout_family);

// Of a permutation that no function of a family made. A null pointer would have to be compared with
// pointers to functions, which g++ with -fsanitize=undefined does not do in constant expressions.
struct no_family {
  static constexpr bool is_no_family = true;
};

}  // namespace detail

// A permutation of an array's elements: a family and its parameters. Made by xor_swizzle(),
// rotation(), triangular(), modular() or linear() (layout/families.hpp), and applied by
// layout::permuted().
struct permutation {
  layout_family family = layout_family::rows;
  unsigned char form = 0;  // which of the family's index functions
  int group = 1;           // the neighbours in a row that stay together, a power of two
  detail::four number;     // the parameters: see the family's file
  detail::family_pointer functions = &detail::any_family::functions<detail::no_family>;
  const int* table = nullptr;  // the places of a table's elements; else null

  // Returns the same permutation of groups of `elements` neighbours: rotation(1).in_groups_of(4)
  // keeps a float4 whole.
  // Error: `elements` is not a power of two; the permutation is an XOR swizzle or linear.
  BANKMODEL_FN permutation in_groups_of(int elements) const {
    if (!detail::is_power_of_two(elements) || family == layout_family::xor_swizzle ||
        family == layout_family::linear)
      rule::groups_must_be_powers_of_two_that_fit_the_rows(elements, 0);
    permutation result = *this;
    result.group = elements;
    return result;
  }

  // Each family of the library has a number of its own; those of users share `other`, and are told
  // apart by their functions.
  BANKMODEL_FN bool operator==(const permutation& other) const {
    return family == other.family && form == other.form && group == other.group &&
           number == other.number && table == other.table &&
           (family != layout_family::other || functions == other.functions);
  }
};

namespace detail {
BANKMODEL_FN family_functions functions_of(const permutation& p) {
  return (any_family{}.*p.functions)(p.family);
}
}  // namespace detail

}  // namespace bankmodel

#endif
