// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_BANK_PERMUTATION_HPP
#define BANKMODEL_COUNT_DETAIL_BANK_PERMUTATION_HPP

#include <bankmodel/count/variable_ranges.hpp>

// Subscripts f ^ y in which y only permutes the banks.
namespace bankmodel::detail {

// Returns the last subscript of an access: f instead of f ^ y if y only permutes the banks. `lanes`
// are the variables that differ from lane to lane.
// Requires: the cost of a request does not depend on its base.
//
// If y is the same in all lanes, it flips the same low bits of each lane's element, as long as f is
// below a power of two and everything else is a multiple of that. So banks and layers are permuted,
// and the cost of the request stays the same.
BANKMODEL_FN slice without_bank_permutation(const access_view& access, unsigned lanes,
                                            const variable_ranges& ranges) {
  const slice& program = access.subscript[access.subscripts - 1];
  const node* const nodes = access.nodes + program.first;
  if (program.size < 3 || access.vector != 1 || nodes[program.size - 1].op != operation::bit_xor)
    return program;
  int right = program.size - 1;  // the start of the right operand
  for (int missing = 1; missing > 0;) missing -= growth_of(nodes[--right].op);
  const slice sides[2] = {{program.first, right},
                          {program.first + right, program.size - 1 - right}};
  const int in_lanes = (variables_in(nodes, right) & lanes) != 0 ? 0 : 1;
  const slice& same = sides[1 - in_lanes];
  if ((variables_in(access.nodes + same.first, same.size) & lanes) != 0) return program;
  const value_range f = ranges.of_active(sides[in_lanes]);
  if (!f.known() || f.lowest < 0) return program;
  long long rest = access.array.base_bytes / access.array.element_bytes;
  for (int d = 0; d < access.subscripts - 1; ++d) rest |= access.array.layout.stride[d];
  return (rest & all_bits_of(f.highest)) == 0 ? sides[in_lanes] : program;
}

}  // namespace bankmodel::detail

#endif
