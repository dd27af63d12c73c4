// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

// Reads compile_commands.json with LLVM's parser of JSON.
namespace compiled {

// An entry: the words of its command, in which the files of `@file` and of nvcc's --options-file
// are replaced by the words that they have.
struct compile_command {
  std::string directory;
  std::string file;  // an absolute name
  std::vector<std::string> words;
};

struct compile_commands {
  std::string path;
  std::vector<compile_command> commands;  // in the order of the file
  std::vector<std::string> faults;        // what was left out and why, as texts for people
};

// Returns the entries of the file. An entry with a fault is left out; a file that is no array of
// JSON has none, and the fault says where.
// Source: Clang, "JSON Compilation Database Format Specification".
compile_commands read_compile_commands(const std::string& path);

}  // namespace compiled
