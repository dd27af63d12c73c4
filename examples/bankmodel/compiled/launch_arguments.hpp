// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_LAUNCH_ARGUMENTS_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_LAUNCH_ARGUMENTS_HPP

#include "../clang_reader/source_reader.hpp"
#include "ask.hpp"

namespace compiled {

// Returns the launch that --block, --grid, --at, --arg, --assume and --dynamic-bytes describe. The
// block, the grid and the dynamic bytes are those of the launch in the file if they are not given
// and it has one, or several that are alike.
// Error (command_line::refusal): an option is not as --help says; the block is not known.
launch launch_of(const question& asked, const kernel_code& kernel,
                 const std::vector<found_launch>& launches);

}  // namespace compiled

#endif
