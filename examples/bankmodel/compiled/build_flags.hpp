// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ask.hpp"

// How a build compiles a file, as its compile_commands.json says.
namespace compiled {

// Returns the question with the options of the build of its file: those of the database that
// question::build names, or else of the first compile_commands.json in the folders above the file
// or in a folder `build` of one of them. A file without an entry has those of a file that includes
// it, through which it is read (question::unit); or else those of the nearest file of CUDA or HIP.
// What is given in the question comes first.
// Error (command_line::refusal): question::build is given, and there is no such database.
question with_flags_of_build(const question& asked);

// Reads the database of the file, so that with_flags_of_build() does not read it, or say its
// faults, again: also in processes that begin later. Error: as with_flags_of_build().
void load_build(const std::string& build, const std::string& file,
                const std::function<void(const std::string&)>& tell);

struct build_files {
  std::vector<std::string> files;    // in the order of their names, each once
  std::vector<std::string> missing;  // that are named and not there
};

// Returns the files of CUDA and HIP that the database compiles. `tell`: for notes, as in question.
// Error (command_line::refusal): there is no such database; it has none of them.
build_files files_of_build(const std::string& build,
                           const std::function<void(const std::string&)>& tell);

}  // namespace compiled
