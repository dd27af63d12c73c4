// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_INCLUDED_HEADERS_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_INCLUDED_HEADERS_HPP

#include <string>
#include <vector>

namespace command_line {

// `#include "name"` or `#include <name>`.
struct included_header {
  std::string name;
  bool is_quoted = false;
};

// Returns the headers that a text names, in their order, also those that a condition leaves out.
std::vector<included_header> included_headers(const std::string& text);

}  // namespace command_line

#endif
