// SPDX-License-Identifier: MIT
#pragma once

// bankmodel reorganize ALGORITHM FILE..: index arrays put in order.
namespace reorganizing {

// Runs the subcommand with the arguments after its name, and returns the exit code.
// Throws command_line::refusal for wrong arguments and files.
int run(int count, char** arguments);

}  // namespace reorganizing
