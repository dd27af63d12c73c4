// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_KERNEL_FILE_PAGES_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_KERNEL_FILE_PAGES_HPP

#include <deque>
#include <vector>

#include "../answer.hpp"
#include "page/page.hpp"

namespace compiled {

// A page for each machine, and what they refer to, whose place in memory stays the same.
struct kernel_file_pages {
  std::deque<kernel_code> codes;
  std::deque<recording> recordings;
  std::vector<page> pages;
};

// The pages of a kernel file. `found`: its results, which need not outlive them.
kernel_file_pages pages_of_kernel_file(const command_line::source& of,
                                       const std::vector<command_line::finding>& found,
                                       const command_line::question& asked);

}  // namespace compiled

#endif
