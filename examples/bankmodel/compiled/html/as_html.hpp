// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "../page/page.hpp"

namespace compiled {

// What a page consists of, for a page that has more.
struct html_parts {
  std::string styles;       // its style sheet
  std::string definitions;  // what pictures refer to
  std::string sections;     // each kernel on each machine
};
html_parts html_parts_of(const std::vector<page>& pages, source_lines& lines);

// One file without references to others: of each kernel on each machine its sums, the source with
// costs, fixes and pictures at the lines, and the tables. `file` is what the program was given,
// `uncounted` are the kernels of it without a page.
std::string as_html(const std::vector<page>& pages, source_lines& lines, const std::string& file,
                    const std::vector<uncounted_kernel>& uncounted = {});

}  // namespace compiled
