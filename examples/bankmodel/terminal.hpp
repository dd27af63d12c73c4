// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace command_line {

// How text is broken into lines.
struct text_shape {
  std::size_t width = 100;   // in characters
  bool is_terminal = false;  // if not, programs may read the text: a message is one line
};

// Of standard output: on a terminal the width is COLUMNS, or what the terminal reports.
text_shape shape_of_output();

}  // namespace command_line
