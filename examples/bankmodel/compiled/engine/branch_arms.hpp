// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "../code/code.hpp"

namespace compiled {

// What the source says about the two blocks that a branch may go on with.
struct branch_arms {
  // The first is the guarded code: the one that is first in the source, or all that an `if` has.
  bool is_guarded_first = false;
  // The first line that this arm alone executes; 0: there is none.
  std::array<int, 2> first_line = {};
};

// Of the branch at the end of `block`, whose arms join in `meets_in`. Requires: it has two arms.
branch_arms arms_of_branch(const kernel_code& kernel, int block, int meets_in);

}  // namespace compiled
