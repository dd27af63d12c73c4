// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_KERNEL_ACCESS_VIEW_HPP
#define BANKMODEL_KERNEL_ACCESS_VIEW_HPP

#include <bankmodel/analysis/value_range.hpp>
#include <bankmodel/kernel/access.hpp>

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
    if (highest >= extent - further_elements(d))
      rule::subscripts_must_lie_within_their_extent(d, highest, extent);
  }
  BANKMODEL_FN bool is_within(int d, long long lowest, long long highest) const {
    return lowest >= 0 && highest < array.layout.extent[d] - further_elements(d);
  }
  // The number of elements that the access touches after the one at subscript `d`.
  BANKMODEL_FN long long further_elements(int d) const {
    return d == subscripts - 1 ? vector - 1 : 0;
  }
};

template <int Wrappers, int Nodes>
BANKMODEL_FN access_view view_of(const access_expression<Wrappers, Nodes>& access) {
  return {access.array, access.subscripts, access.subscript, access.vector,
          access.kind,  access.wrappers,   access.depth,     access.nodes};
}

// True if each subscript alone keeps a wide access aligned, at all values of its variables.
BANKMODEL_FN bool keeps_alignment(const access_view& access) {
  if (access.vector == 1) return true;
  const int bytes = access.bytes(), needed = low_zeros(bytes == 12 ? 4 : bytes);
  if (low_zeros(access.array.base_bytes) < needed) return false;
  for (int d = 0; d < access.subscripts; ++d) {
    const slice& program = access.subscript[d];
    if (low_zeros(access.nodes + program.first, program.size) +
            low_zeros(access.array.layout.stride[d] * access.array.element_bytes) <
        needed)
      return false;
  }
  return true;
}

}  // namespace bankmodel::detail

#endif
