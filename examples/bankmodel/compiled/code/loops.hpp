// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "code.hpp"

// The loops of a compiled kernel.
namespace compiled {

// All blocks from which the back edges to `header` are reached without it, and the header.
struct natural_loop {
  int header = 0, parent = -1;             // the number of the next loop around it
  std::vector<bool> has;                   // by block
  std::vector<int> latches;                // the sources of its back edges
  std::vector<std::pair<int, int>> exits;  // edges that leave it, except to blocks that fail
};

struct loop_structure {
  std::vector<int> order;      // reachable blocks, each before those it goes to but for back edges
  std::vector<int> dominator;  // the immediate one; -1 of the entry and of unreachable blocks
  std::vector<std::vector<int>> predecessors;  // predecessors that are reachable
  std::vector<natural_loop> loops;             // outer ones first
  std::vector<int> innermost;                  // the loop of each block; -1
  bool is_reducible = true;                    // each cycle is in a natural loop

  bool dominates(int ancestor, int block) const;
};

loop_structure loops_of(const kernel_code& kernel);

}  // namespace compiled
