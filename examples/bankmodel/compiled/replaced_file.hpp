// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

namespace compiled {

// Writes `text` into an existing file: all of it or, on an error, nothing. The file keeps its
// permissions and its owner; of a symbolic link the file that it names is written.
// Error (command_line::refusal): the file's text is not `expected`, or it cannot be written.
void replace_file(const std::string& name, const std::string& expected, const std::string& text);

// The same of several files, by name: all of them or, on an error, none.
// Requires: `expected` has each file of `texts`. Those whose text stays the same are not written.
void replace_files(const std::map<std::string, std::string>& expected,
                   const std::map<std::string, std::string>& texts);

}  // namespace compiled
