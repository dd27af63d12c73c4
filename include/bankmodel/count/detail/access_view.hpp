// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_ACCESS_VIEW_HPP
#define BANKMODEL_COUNT_DETAIL_ACCESS_VIEW_HPP

#include <bankmodel/kernel/array.hpp>
#include <bankmodel/kernel/loop.hpp>
#include <bankmodel/model/machine.hpp>

namespace bankmodel::detail {

// An access_expression without its sizes, so that one function serves all.
struct access_view {
  const array_description& array;
  int subscripts;
  const slice* subscript;
  int vector;
  access_kind kind;
  const wrapper* wrappers;
  int depth;
  const node* nodes;

  BANKMODEL_FN int bytes() const { return array.element_bytes * vector; }

  // Error: a subscript `d` from `lowest` to `highest` is not within its extent, or the elements
  // that a wide access touches behind it are not.
  BANKMODEL_FN void require_within(int d, long long lowest, long long highest) const {
    const long long extent = array.layout.extent[d];
    if (lowest < 0) rule::subscripts_must_lie_within_their_extent(d, lowest, extent);
    if (highest >= extent - behind(d))
      rule::subscripts_must_lie_within_their_extent(d, highest, extent);
  }
  BANKMODEL_FN long long behind(int d) const { return d == subscripts - 1 ? vector - 1 : 0; }
};

}  // namespace bankmodel::detail

#endif
