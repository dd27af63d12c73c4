// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ask.hpp"
#include "code/code.hpp"
#include "page/array_plan.hpp"

// The files that a plan changes: the one that is read, and headers that no other file includes.
namespace compiled {

using changed_texts = std::map<std::string, std::string>;  // by file, as edits have it

// Returns the file that declares the array: the one that was asked about, or a header.
const std::string& declaring_file(const question& asked, const code_array& array);

// Returns the text before a change: question::text of the file that was asked about, else what is
// on the disk.
std::string text_to_change(const question& asked, const std::string& file);

// Returns why the edits cannot be made: a header that other files of the project include or may
// include, or a text that is not there. Empty if they can.
std::string reason_against_files(const question& asked, const std::vector<text_edit>& edits);

// Returns why functions of the file that is read cannot be changed: other files include it, and may
// call them. Empty if they can, or the array has no uses in other functions.
std::string reason_against_receivers(const question& asked, const array_source& source);

// Returns the changed files.
// Requires: reason_against_files() has none; the edits do not overlap.
changed_texts texts_with(const question& asked, const std::vector<text_edit>& edits);

// The question about the changed files.
void set_texts(const changed_texts& changed, question& request);

}  // namespace compiled
