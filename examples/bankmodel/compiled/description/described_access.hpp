// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "../../notation/kernel_file.hpp"
#include "symbolic_run.hpp"

// One access of a compiled kernel in the library's index language.
namespace compiled {

using command_line::access_expression;

// The elements of an array that its accesses are described with: those that are declared, or
// parts of them that all its accesses are made of.
struct described_array {
  int unit = 0;                    // bytes
  std::vector<long long> extents;  // in units
};

// Returns the distance of each lane's address from the array's first byte.
// Error (inexpressible): the reason why there is none.
form offset_in_array(symbolic_run& run, const symbolic_access& access, int array);

// Returns one subscript for each extent; none if they cannot be shown to be within their extents.
std::vector<form> subscripts_of(symbolic_run& run, const form& offset, const described_array& array,
                                int elements);

// Returns the access `kind` of `elements` elements with its loops and conditions. An access that is
// never executed has the condition 0. Error (inexpressible): the reason why there is no expression.
access_expression described(symbolic_run& run, const symbolic_access& access,
                            const std::vector<form>& subscripts, const bm::block_dim& block);

}  // namespace compiled
