// SPDX-License-Identifier: MIT
#pragma once

#include <bankmodel/kernel/kernel.hpp>
#include <vector>

namespace command_line {

namespace bm = bankmodel;

// What a kernel says of the threads that it is written for.
struct block_use {
  bool has_y = false, has_z = false;            // it reads threadIdx.y, threadIdx.z
  int most_threads = 0;                         // of __launch_bounds__; 0: not stated
  std::vector<std::vector<long long>> extents;  // of its arrays in shared memory
  bm::block_dim known = {0, 0, 0};              // where the launch says them, else 0
};

// Blocks that it may be written for, the most probable first: rows of its arrays, and powers of two
// within the bounds that it states.
//
// Example: a kernel that reads threadIdx.y, with an array of 16 x 16, has {16, 16, 1} first.
std::vector<bm::block_dim> candidate_blocks(const block_use& use);

}  // namespace command_line
