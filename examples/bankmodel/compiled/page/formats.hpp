// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "page.hpp"

// A kernel on its machines, in the forms that are more than tables.
namespace compiled {

// The source of the functions that have accesses, for a terminal: each line with its wavefronts and
// transactions, and their ideals.
std::string as_source(const std::vector<page>& pages, source_lines& lines,
                      const command_line::text_shape& shape);

// A log in the Static Analysis Results Interchange Format (SARIF), version 2.1.0: one result for
// each access that takes more than its ideal, on each machine. Places are relative to the working
// directory if they are below it.
struct sarif_input {
  std::string file;                // what the program was given
  std::string rules_address = {};  // of the page with the rules, for helpUri; empty: none
};
std::string as_sarif(const std::vector<page>& pages, source_lines& lines, const sarif_input& input);
// One run of it, and the log of several, with commas and new lines between. `error`: why nothing is
// counted, if it is so; the run was not successful then, nor if there are only `failures`.
std::string sarif_run(const std::vector<page>& pages, source_lines& lines, const sarif_input& input,
                      const std::vector<uncounted_kernel>& failures, const std::string& error = {});
std::string sarif_of(const std::string& runs);

}  // namespace compiled
