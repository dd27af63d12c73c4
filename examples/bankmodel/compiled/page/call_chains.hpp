// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "page.hpp"

// The calls through which a kernel comes to the code of an access that was inlined.
namespace compiled {

// The places of the access's own code and of the calls around it, innermost first, for each way to
// it: two places or more each.
std::vector<std::vector<place>> call_chains(const page& kernel_page, const priced_access& access);

// "in tile.hpp:59:7, called at tile.hpp:80:3 and gemm.cu:12:5"; of code that is shown at its own
// place "called at gemm.cu:12:5". Of many calls, and of many chains, the first and the last.
std::vector<std::string> texts_of_calls(const page& kernel_page, const priced_access& access,
                                        source_lines& lines);

// , "calls": [[{"file": "tile.hpp", "line": 59, "column": 7}, ..], ..]; empty without one.
std::string json_of_calls(const page& kernel_page, const priced_access& access);

}  // namespace compiled
