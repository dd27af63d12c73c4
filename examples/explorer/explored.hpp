// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_EXPLORER_EXPLORED_HPP
#define BANKMODEL_EXAMPLES_EXPLORER_EXPLORED_HPP

#include <functional>
#include <string>
#include <vector>

#include "../bankmodel/notation/kernel_file.hpp"

// The answers that the explorer's page shows, as JSON. They are those of the command line.
namespace explorer {

struct input {
  std::string name, text;             // of the kernel, in the notation or in C++ as it is pasted
  std::vector<std::string> machines;  // empty: those of the text
  std::string beside;                 // another machine; empty: none
  std::vector<command_line::row_padding> padding;
  std::string kernel;  // which of several; empty: the first
  std::string block;   // "32x8"; empty: that of the text, or one that is assumed
  std::vector<std::pair<std::string, long long>> arguments;  // of the kernel and its template
  bool plan = true;
  std::function<void(const std::string&)> tell = [](const std::string&) {
  };  // before what takes long
};

// Returns an object with these members:
//
//   styles     of the page of --format html, as a style sheet
//   page       its part below the heading, as HTML
//   block      "32x8", and with block_assumed: nobody gave it
//   kernels    the names of the kernels in C++, and kernel: the one that is counted
//   arguments  of that kernel: [{name, value, assumed}, ..], those that it reads or that are given
//   arrays     the shared arrays of two or more dimensions: [{name, row, padding}, ..], in elements
//
// or, if the input is wrong, {"error": the message of the command line} with kernels, kernel and
// all its arguments, those that are not given without a value.
std::string explored(const input& asked);

// Returns the names of all known machines, ["sm_10", ..].
std::string machines();

}  // namespace explorer

#endif
