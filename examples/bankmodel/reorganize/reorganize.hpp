// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_REORGANIZE_REORGANIZE_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_REORGANIZE_REORGANIZE_HPP

// bankmodel reorganize ALGORITHM FILE..: index arrays put in order.
namespace reorganizing {

// Runs the subcommand with the arguments after its name, and returns the exit code.
// Throws command_line::refusal for wrong arguments and files.
int run(int count, char** arguments);

}  // namespace reorganizing

#endif
