// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_FIXES_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_FIXES_HPP

#include "ask.hpp"

namespace compiled {

// The answer with --fix: the declarations of all plans that are declarations are changed, the new
// text is compiled and counted, and only if its requests are those of the old one in the new
// layouts, and cost what the plans promise, the file is written (or, for --fix=dry-run, the
// difference printed). Else nothing is written.
// Error (command_line::refusal): there is something to change that cannot be changed; the new text
// does not compile, or does not count as promised; the file cannot be written.
command_line::answer answer_with_fix(const question& asked);

}  // namespace compiled

#endif
