// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "token.hpp"

namespace command_line {

// The tokens with what each macro stands for where it is used: `#define AT(r, c) a[(r) * n + (c)]`,
// `#define ROW (ty + 1)`, `#define real float`. Its tokens are at the place of the use. Macros of
// numbers alone stay constants; those with # or ## stay as they are, and so does a use with
// another number of arguments.
std::vector<token> with_macros_replaced(const source& input, const std::vector<token>& stream);

}  // namespace command_line
