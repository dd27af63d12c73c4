// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "../../source.hpp"

namespace compiled {

// An element around `content`, which is HTML. `opened` is its name, and its attributes if it has
// some: "p class=\"quiet\"".
inline std::string element(const std::string& opened, const std::string& content) {
  return command_line::joined("<", opened, ">", content, "</", opened.substr(0, opened.find(' ')),
                              ">");
}

// The identifier of a line in the section of a kernel on a machine. `file` is the number that the
// kernel's places have.
inline std::string line_id(int section, int file, int line) {
  return command_line::joined("L", section, "-", file, "-", line);
}

}  // namespace compiled
