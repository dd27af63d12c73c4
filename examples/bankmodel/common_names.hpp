// SPDX-License-Identifier: MIT
#pragma once

#include "sequences.hpp"
#include "source.hpp"

// The names of command_line that most files of compiled/ and clang_reader/ use; code/code.hpp has
// them.
namespace compiled {

using command_line::append;
using command_line::has_word;
using command_line::includes;
using command_line::input_error;
using command_line::joined;
using command_line::refusal;
using command_line::slot;
using command_line::words_in;

}  // namespace compiled
