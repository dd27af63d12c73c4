// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>

namespace command_line {

// Calls do_part(0), do_part(1), .. do_part(parts - 1): as many at once as the machine has
// processors, or as it has threads left. Returns when they have ended.
// Requires: calls for different parts may overlap.
// Error: the first that a part throws; parts that had not begun are left out then.
//   std::vector<int> squares(100);
//   do_parts(100, [&](std::size_t part) { squares[part] = int(part * part); });  // squares[9] is
//   81
void do_parts(std::size_t parts, const std::function<void(std::size_t part)>& do_part);

}  // namespace command_line
