// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_EXPLORER_EXPLORED_HPP
#define BANKMODEL_EXAMPLES_EXPLORER_EXPLORED_HPP

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../bankmodel/kernel_file.hpp"

// The answers that the explorer's page shows, as JSON. They are those of the command line.
namespace explorer {

struct input {
  std::string name, text;  // of the kernel
  std::string machine;     // empty: those of the text
  std::vector<command_line::row_padding> padding;
  std::optional<std::size_t> access;  // the one that is drawn; that with the most conflicts if none
  bool plan = true;
  std::function<void(const std::string&)> tell = [](const std::string&) {
  };  // before what takes long
};

// Returns an object with these members:
//
//   answer    what the command line prints with --json
//   arrays    the shared arrays of two or more dimensions: [{name, row, padding}, ..], in elements
//   drawn     the number of the access that is drawn, from 0
//   declared  its worst request on the first machine, as SVG, or "" with `refused`
//   planned   the same as planned, or "" if there is no plan for it
//   refused   why there is no picture
//
// or, if the input is wrong, {"error": the message of the command line}.
std::string explored(const input& asked);

// Returns the names of all known machines, ["sm_10", ..].
std::string machines();

}  // namespace explorer

#endif
