// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "ask.hpp"
#include "page/page.hpp"

namespace compiled {

// The counters of question::measured, and those of the kernels of the pages that it has a launch
// of, as tables. Each block is taken to cost what the counted one does, as issued where that is
// known.
// Error (command_line::refusal): the pages are of several machines; the profile has no launch of
// these kernels, or several; nobody gives the number of blocks.
std::string text_of_profile(const std::vector<page>& pages, const question& asked);

}  // namespace compiled
