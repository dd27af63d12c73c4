// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "made_up_memory.hpp"

namespace compiled {

// What one block computes from made-up data.
struct emulated_block {
  made_up_memory::contents stored;  // to global memory, by address
  // Why that is not all, or does not depend on all that the block computes; empty if it is.
  std::string incomplete;
  bool is_stopped = false;  // it takes too many steps
};

// Of an emulation, as launch::most_steps is of a count: about a second.
constexpr long long most_steps_of_values = 1ll << 25;

// Returns what the block stores in global memory if its data, and the arguments that nobody knows,
// are those of made_up_memory. What is not evaluated, exp() or a product of matrices, is a number
// that its operands decide, so that a kernel before and after a change can be compared.
// Example: out[i] = 2 * in[i] with 32 threads stores 32 floats, from -16 to 16.
emulated_block emulated(const kernel_code& kernel, const launch& settings,
                        long long most_steps = most_steps_of_values);

// Returns the launch with integer arguments above 255 made smaller, which end loops: 128 and their
// remainder by 128, since tiles divide them; nothing if there are none.
std::optional<launch> with_small_arguments(const kernel_code& kernel, const launch& settings);

}  // namespace compiled
