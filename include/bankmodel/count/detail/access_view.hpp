// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_ACCESS_VIEW_HPP
#define BANKMODEL_COUNT_DETAIL_ACCESS_VIEW_HPP

#include <bankmodel/kernel/array.hpp>
#include <bankmodel/kernel/loop.hpp>
#include <bankmodel/model/machine.hpp>

// Accesses without their sizes in the type.
namespace bankmodel::detail {

// A view of an access_expression of any size, so that one function serves all sizes.
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

  // Error: the values of subscript `d`, from `lowest` to `highest`, or the further elements of a
  // wide access are not within the extent.
  BANKMODEL_FN void require_within(int d, long long lowest, long long highest) const {
    const long long extent = array.layout.extent[d];
    if (lowest < 0) rule::subscripts_must_lie_within_their_extent(d, lowest, extent);
    if (highest >= extent - behind(d))
      rule::subscripts_must_lie_within_their_extent(d, highest, extent);
  }
  BANKMODEL_FN bool is_within(int d, long long lowest, long long highest) const {
    return lowest >= 0 && highest < array.layout.extent[d] - behind(d);
  }
  // The number of elements that the access touches after the one at subscript `d`.
  BANKMODEL_FN long long behind(int d) const { return d == subscripts - 1 ? vector - 1 : 0; }
};

}  // namespace bankmodel::detail

#endif
