// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../clang_reader/source_reader.hpp"
#include "../source.hpp"
#include "ask.hpp"

namespace compiled {

// How Clang's libraries read a source file.
struct source_reading {
  bool is_hip = false;
  bool toolkit_has_missing_headers = true;  // a toolkit here has all headers that were not found
  std::vector<std::string> folders_in_project = {};  // of headers that were found there
};

// The kernels of a file, and what it says of their launches.
struct code_of_file {
  std::vector<kernel_code> kernels;
  std::vector<found_launch> launches;
  std::vector<unread_kernel> unread;
  std::string machine;               // that the code is for, or the default
  std::string missing_headers = "";  // by name, with commas between: they were read as empty
  std::string cubin = "";            // machine code of the kernels of PTX, if nvcc is here
  // As read_source::optimized; not set for PTX.
  std::function<optimized_code(std::size_t index)> optimized = {};
  // The code is for question::machines[0], and another machine may have another one.
  bool depends_on_machine = false;
  // What was left out of the reading, and may have kernels or their instances.
  std::vector<unread_launch> unread_launches = {};
  std::vector<std::string> kernels_without_instance = {};
  std::vector<std::string> missing_own_headers = {};
  // Of templates that nothing here instantiates: as read_source.
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> assumed_templates = {};
  std::vector<std::string> notes = {};  // how the file was read, for people
  std::string skipped_kernels = "";     // by the preprocessor, for people
  std::vector<readable_kernel> passed_over_kernels = {};
  std::string errors = "";  // all that Clang says of the file
  source_reading reading = {};
};

// Leaves out the kernels for which `is_meant` is false, unless it is so of all. Returns false then.
bool keep_kernels(code_of_file& code, const std::function<bool(const kernel_code&)>& is_meant);

// Reads PTX, or source if the program was built with Clang's libraries. `unrolls`: loops of source,
// as compilers do.
// Of several threads one reads at a time.
// Error (command_line::refusal): the file is not what its name says; no kernel compiles.
code_of_file read_code(const question& asked, bool unrolls = true);

// The error for a file, with what Clang says of it.
command_line::refusal does_not_compile(const std::string& name, const std::string& diagnostics,
                                       const std::string& missing_headers);
// The error for a kernel, with the first error in its code or in what it calls, and how many more.
command_line::refusal kernel_does_not_compile(const code_of_file& code, const std::string& name,
                                              const std::string& diagnostics);

}  // namespace compiled
