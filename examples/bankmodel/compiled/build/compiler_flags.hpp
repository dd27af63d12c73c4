// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

// The options of compilers: nvcc's, and those of Clang, hipcc and GCC.
namespace compiled {

// What the options say of how source is read.
struct compiler_flags {
  std::vector<std::string> include_folders;  // -I, -iquote
  std::vector<std::string> system_folders;   // -isystem, -idirafter
  std::vector<std::string> defines;          // NAME or NAME=VALUE, each name once
  std::vector<std::string> undefines;        // names
  std::vector<std::string> included_files;   // -include
  std::string standard;                      // c++20; empty: the default
  std::vector<std::string> architectures;    // sm_80, gfx90a: each once, in their order
  std::string language;                      // "cuda" or "hip"; empty: as the file looks
  std::vector<std::string> unread;           // options that change nothing of it, as given
};

// Returns what the words of a command say; its first word, the compiler, says the language of
// nvcc and hipcc. Names of folders and files are relative to `directory`; empty: they stay.
// For {"nvcc", "-I", "a", "-arch=sm_80"} in /b: the folder /b/a, sm_80 and "cuda".
compiler_flags flags_of_command(const std::vector<std::string>& command,
                                const std::string& directory);

// Takes the options of compilers out of the program's own arguments, but for -I, -D, --std and -x,
// which are options of the program too, and returns what they say. A word that is no option of
// compilers stays. For {"-arch=sm_80", "k.cu"}: sm_80, and {"k.cu"} stays.
// Error (command_line::refusal): an option without its value.
compiler_flags take_flags(std::vector<std::string>& arguments);

// A name in a command, relative to the folder in which the command runs; empty ones: the name.
std::string absolute_in(const std::string& directory, const std::string& name);

// Adds those of `additions`: its folders come later; its macros and its standard are taken where
// the flags have none of that name.
void add_missing(const compiler_flags& additions, compiler_flags& flags);

// The folders, macros and files as options of nvcc and of Clang.
std::vector<std::string> options_of(const compiler_flags& flags);

// The newest of NVIDIA's machines or the first of AMD's: sm_90 for {"sm_80", "sm_90"}. Empty if
// there is none.
std::string machine_of_flags(const compiler_flags& flags);

}  // namespace compiled
