// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../answer.hpp"
#include "../compiled/ask.hpp"

// The arguments that the program is started with.
namespace command_line {

struct options {
  std::vector<std::string> files;      // and folders, as they are given
  bool is_file_missing = false;        // of those that a build names
  std::string file;                    // the first of them; empty: the lines
  std::string input, language;         // standard input, if it is read, and what it is written in
  std::vector<std::string> lines;      // of --line
  std::string picture, header, html;   // files to write, empty if none is wanted; "-": printed
  std::string baseline, new_baseline;  // files to compare with and to write; empty: none
  bool is_difference = false;          // of the two files
  bool is_count = true;                // costs are printed, which limits are for
  profile measured;                    // without its text; no name: none is wanted
  compiled::question asked;
  std::string printed;  // the text of --help or --version, which ends the program

  bool is_compiled() const { return compiled::is_compiled(file); }
};

// What the program is asked by its words. `input`: what standard input has, where it is
// read: see surroundings.
// `tell`: for notes, each a line or several.
// Error (refusal): an argument is unknown or has a wrong value, two arguments exclude each other,
// or one is not for this kind of file; the errors of `input`.
options options_of(const std::vector<std::string>& words,
                   const std::function<std::string(bool is_named)>& input,
                   const std::function<void(const std::string&)>& tell);

}  // namespace command_line
