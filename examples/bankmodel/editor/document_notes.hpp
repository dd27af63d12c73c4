// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "../compiled/ask.hpp"

namespace editor {

// What an editor shows of a file with kernels, in the terms of the Language Server Protocol, with
// lines from 0 and columns in UTF-16:
//   "diagnostics"  of accesses that take more than their ideal or are not known, and of what was
//                  not counted
//   "hints"        [{"position", "label"}]: "32-way, 1,024 of 32" before such an access
//   "hovers"       [{"line", "text"}]: Markdown about the accesses of a line, and the kernel's sums
//                  at its name
//   "actions"      [{"title", "line", "edit"}]: the changes that --fix would write, each alone
// `asked`: about the file of the document, with its text. Without question::plan there are no
// actions.
nlohmann::json notes_of_document(const compiled::question& asked);

}  // namespace editor
