// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "../../table.hpp"
#include "../../terminal.hpp"
#include "page.hpp"

namespace compiled {

// The rows of the table below: those of one memory, with a cell for each machine. None without an
// access to it.
// Requires: the pages are of one kernel.
std::vector<command_line::row> rows_side_by_side(const std::vector<const page*>& pages,
                                                 bool is_global);

// A kernel on several machines in one table: for each access the wavefronts or transactions on each
// of them, and the degree of its conflicts, "1,024 (32-way)"; "-" where it is not. Empty for one
// machine, and where there are more than fit the width.
// Requires: the pages are of one kernel.
std::string text_side_by_side(const std::vector<const page*>& pages,
                              const command_line::text_shape& shape);

}  // namespace compiled
