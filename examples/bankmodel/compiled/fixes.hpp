// SPDX-License-Identifier: MIT
#pragma once

#include "ask.hpp"

namespace compiled {

// The answer with --fix: the verified plans of all kernels that are asked about are written as one
// change, declarations where an array has such a plan, else its subscripts. The new text is
// compiled and all these kernels are counted again, and only if their requests are those of the old
// text in the new layouts, and cost what the plans promise, the file is written (or, for
// --fix=dry-run, the difference printed). Else nothing is written. Error (command_line::refusal):
// there is something to change that cannot be changed; the new text does not compile, or does not
// count as promised; the file cannot be written.
command_line::answer answer_with_fix(const question& asked);

}  // namespace compiled
