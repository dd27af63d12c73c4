// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "../../table.hpp"
#include "page.hpp"

namespace compiled {

// The table of a page's accesses to one memory: the head, a row for each of priced::shared or
// priced::global in their order, and their sum; none if there is no access. Where an access is not
// issued as it is written, all rows have two cells more: "128 of 16 B", and the wavefronts or
// transactions of these.
std::vector<command_line::row> shared_rows(const page& kernel_page);
std::vector<command_line::row> global_rows(const page& kernel_page);

}  // namespace compiled
