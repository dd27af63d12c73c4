// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bankmodel/global/grid.hpp>
#include <bankmodel/kernel/kernel.hpp>

#include "../code/code.hpp"

namespace compiled {

namespace bm = bankmodel;

// An axis of a grid: the registers with a block's index and with the number of blocks, and where a
// launch has both.
struct grid_axis {
  bm::axis name;
  special index_register, extent_register;
  long long bm::grid_dim::* blocks;
  long long bm::block_index::* index;
};

constexpr std::array<grid_axis, 3> grid_axes = {
    {{bm::axis::x, special::block_x, special::blocks_x, &bm::grid_dim::x, &bm::block_index::x},
     {bm::axis::y, special::block_y, special::blocks_y, &bm::grid_dim::y, &bm::block_index::y},
     {bm::axis::z, special::block_z, special::blocks_z, &bm::grid_dim::z, &bm::block_index::z}}};

}  // namespace compiled
