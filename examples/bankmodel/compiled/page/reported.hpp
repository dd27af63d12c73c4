// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "../../project/report.hpp"
#include "page.hpp"

namespace compiled {

// The numbers of pages as they are kept for later, as written. `file`: the name that was given;
// `failures`: what has no page;
// `is_executed`: each line with an access is, with what is assumed.
project::report report_of(const std::vector<page>& pages,
                          const std::vector<uncounted_kernel>& failures, source_lines& lines,
                          const std::string& file, bool is_executed = true);

}  // namespace compiled
