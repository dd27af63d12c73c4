// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "page.hpp"
#include "source_functions.hpp"

namespace compiled {

// The accesses of one source line, and their sums.
struct line_cost {
  std::vector<const priced_access*> shared, global;
  bm::cost cost;
  bm::memory_traffic traffic;
  bounded_cost data, data_in_global;  // what data decide, beside these
  bool is_partial = false;

  bool is_over_ideal() const {
    return cost.conflicts() != 0 || traffic.transactions != traffic.ideal;
  }
};

// A function with accesses, or a line outside all functions. Functions that the compiler inlined
// are at their own place.
struct annotated_part {
  std::string file;  // as in the code; empty for accesses whose place is unknown: line 0
  line_range lines;
  std::map<int, line_cost> costs;  // by line
};

// The parts with accesses, file by file, in the order of their lines. They refer to the page.
std::vector<annotated_part> annotated(const page& kernel_page, source_lines& lines);

// The costs in the margin, "1,024 / 32", or "32..1,024 / 32" where data decide; empty without
// accesses to that memory.
std::string shared_margin(const line_cost& line);
std::string global_margin(const line_cost& line);

// The sentences that explain them.
std::string meaning_of_margins(const page& kernel_page);

}  // namespace compiled
