// SPDX-License-Identifier: MIT
#pragma once

#include <bankmodel/global/grid.hpp>
#include <bankmodel/global/sharing.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../table.hpp"

// How what a block accesses in global memory moves from one block of the grid to the next: P.
// Barua, Memory Access Analysis for CUDA Programs, section II.
namespace compiled {

namespace bm = bankmodel;

struct page;

// Of one row of the page's table of global memory, along one axis of the grid.
struct block_stride {
  int access = 0;  // in priced::global
  bm::axis axis = bm::axis::x;
  // In bytes. Of a linear address the stride is that of all blocks that make the access; `proven`:
  // nothing around it depends on the block. Else it was seen in the blocks that were compared.
  bm::block_sharing sharing;
  bool is_linear = false, is_guarded = false;
  std::uint64_t lines = 0;         // that the first block touches
  std::uint64_t shared_lines = 0;  // those of them that its neighbour touches too
  std::string reason = {};         // why no bytes are known; else empty
};

// The transactions of all accesses of neighbouring blocks along an axis, on a machine whose memory
// has partitions.
struct block_camping {
  bm::axis axis = bm::axis::x;
  long long blocks = 0;
  int partitions = 0;
  std::uint64_t transactions = 0, busiest = 0;  // of all, and of the busiest; 0: not known
};

struct block_strides {
  std::vector<block_stride> rows;  // by access, then by axis
  std::vector<block_camping> camping;
  std::string grid;  // "32 x 32", or what is assumed of it; empty: the rows were not asked for
};

// The table, and in sentences what its words mean and where blocks camp; nothing without rows.
std::vector<command_line::row> stride_rows(const page& kernel_page);
std::vector<std::string> stride_notes(const page& kernel_page);

// {"grid": .., "accesses": [..], "camping": [..]}; null if the rows were not asked for.
std::string json_of_strides(const page& kernel_page);

}  // namespace compiled
