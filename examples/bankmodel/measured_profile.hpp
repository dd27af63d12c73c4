// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace command_line {

// A profiler's export, and which of its launches is meant.
struct profile {
  std::string name, csv;     // the file's name and its text
  std::uint64_t blocks = 0;  // 0: those of the grid
  std::string kernel;        // a part of its name; empty: that of the kernel that is counted
  int launch = 0;            // 1 for the first launch of that name; 0 if there is only one
};

}  // namespace command_line
