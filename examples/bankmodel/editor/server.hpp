// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "../compiled/ask.hpp"

namespace editor {

// Serves an editor by the Language Server Protocol, on standard input and output, until it says
// exit or closes the input: diagnostics while typing, hints beside accesses, hovers with the worst
// request, and changes that make arrays conflict less. Each document is counted in a process of its
// own, which ends when the document changes, so that neither a slow kernel nor a crash of the
// compiler stops the editor.
// `question_about`: about a file, with the options of the command line and of the project.
//   Error (refusal): an option is wrong; each document says so.
// Returns the exit code: 0 after shutdown, else 1.
int serve(const std::function<compiled::question(const std::string& file)>& question_about);

}  // namespace editor
