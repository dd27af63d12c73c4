// SPDX-License-Identifier: MIT
#pragma once

#include <bankmodel/model/cost.hpp>
#include <optional>
#include <string>
#include <vector>

#include "../../terminal.hpp"

namespace compiled {

namespace bm = bankmodel;

struct page;

// An array of a joint plan.
struct jointly_planned_array {
  std::string name, family, layout;  // "tile", "padded", "[32][33]"
  long long offset_bytes = 0, bytes = 0;
};

// A kernel and its arrays before or after a plan.
struct planned_state {
  bm::cost cost;
  long long bytes = 0;
  int resident_blocks = 0;
};

// The layouts and the places of all arrays of a kernel, found by one search over all of them. The
// plans of page::plans are of one array each.
struct joint_plan {
  std::string summary;  // as text(plan, bound), without the last new line
  std::vector<jointly_planned_array> arrays;
  std::vector<std::string> declarations, indices;  // to write, a line each
  std::string not_bounded = {};  // why it is not known whether any layout takes the ideal
  bool changes_nothing = false;
  planned_state declared, planned;
  int bank_width = 0, alignment = 0;  // in bytes
  bool is_optimal = false, is_complete = false;
  std::uint64_t least_wavefronts = 0;             // of the families searched
  std::optional<bool> is_reached_by_tables = {};  // the ideal, where conflicts are left
  std::string header = {};                        // as C++, if it is wanted
};

// "plan: conflicts 992 -> 0, ..", what to declare, and a table of before and after; empty without
// such a plan.
std::string text_of_joint_plan(const page& kernel_page, const command_line::text_shape& shape);

// "plan: 64 wavefronts instead of 1,056 with __shared__ float tile[32][33];", for what has no place
// for a table; empty if it changes nothing.
std::string sentence_of_joint_plan(const page& kernel_page);

// An object, or null.
std::string json_of_joint_plan(const page& kernel_page);

}  // namespace compiled
