// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "program.hpp"

// Conditions as the numbers 0 and 1, with the library's operators of numbers: for `(tx < 3) * 4`
// and for `?:`. Empty if a condition is too long, or its values may be too large for it.
namespace command_line {

using nodes = std::vector<bm::node>;

// `left op right` of < <= == !=
nodes compared(bm::operation op, const program& left, const program& right);
// `1 - condition`
nodes negation(const nodes& condition);
// `left op right` of & |
nodes joined_numbers(const nodes& left, const nodes& right, bm::operation op);

}  // namespace command_line
