// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "counted_kernel.hpp"
#include "engine/emulation.hpp"

namespace compiled {

// What a block of a kernel computes, before and after a change of the source.
struct value_comparison {
  // "out has another value at byte 128", or why it cannot be run any more; empty if there is none.
  std::string difference;
  std::string incomplete;            // why not all is compared; empty if it is
  std::size_t bytes = 0;             // in global memory that both store
  bool has_small_arguments = false;  // with_small_arguments(): with those given it takes too long
};

// Compares what one block stores if its data are made up; see emulated().
// Requires: both are counted with the same block, arguments and place in the grid.
value_comparison compared_values(const counted_kernel& previous, const counted_kernel& changed,
                                 long long most_steps = most_steps_of_values);

}  // namespace compiled
