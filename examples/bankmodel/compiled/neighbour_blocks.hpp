// SPDX-License-Identifier: MIT
#pragma once

#include "engine/kernel_analysis.hpp"
#include "page/page.hpp"

namespace compiled {

// Sets how each access of the pages' tables of global memory moves along the axes of the grid on
// which there are several blocks: up to four of them are run, from the pages' block on. The pages
// are of one kernel and launch on several machines. A stride is
// proven for all blocks where the address is linear in blockIdx, and neither a loop nor a condition
// around the access depends on it. Where nobody gives the grid, it has four blocks along each axis
// whose blockIdx the kernel reads.
//
// Example: of out[blockIdx.x * blockDim.x + threadIdx.x], floats, in blocks of 256, along x:
// {.sharing = {.relation = exclusive, .bytes = 1024, .touched_bytes = 1024, .proven = true},
// .lines = 8}; in rows of out[blockIdx.y * n + ..] along y: as many bytes, n * 4 apart.
void set_strides(std::vector<page>& pages, const kernel_analysis& analysis);

}  // namespace compiled
