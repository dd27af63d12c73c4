// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_LAUNCH_ARGUMENTS_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_LAUNCH_ARGUMENTS_HPP

#include "ask.hpp"

namespace compiled {

// Returns the launch that --block, --grid, --at, --arg, --assume and --dynamic-bytes describe.
// Error (command_line::refusal): one of them is not as --help says, or there is no --block.
launch launch_of(const question& asked);

}  // namespace compiled

#endif
