// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace command_line {

// True if text for this stream is to have colours: on a terminal that is not dumb, unless NO_COLOR
// is set; and wherever CLICOLOR_FORCE is set and not 0.
bool wants_colours(int stream);

// Text in lines with the colours of a terminal, as compilers have them: diagnostics, the marks
// below source, the numbers of conflicts, the headings of kernels. Without them it is the same.
std::string coloured(const std::string& text);

}  // namespace command_line
