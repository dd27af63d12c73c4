// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_BLOCKS_ALONG_HPP
#define BANKMODEL_GLOBAL_BLOCKS_ALONG_HPP

#include <bankmodel/core/arithmetic.hpp>
#include <bankmodel/global/grid.hpp>
#include <bankmodel/kernel/kernel.hpp>

namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void at_least_two_blocks_must_be_compared(long long blocks) {
  detail::fail(__func__, "% blocks are to be compared; use 2 or more", blocks);
}
[[noreturn]] BANKMODEL_FN void block_indices_must_not_be_negative(long long x, long long y,
                                                                  long long z) {
  detail::fail(__func__, "the first block is (%, %, %); use indices of 0 or more", x, y, z);
}
}  // namespace rule

// Consecutive blocks of a grid: `count` of them from `first` on, along an axis. An axis alone is
// four blocks from block (0, 0, 0) on.
// Example: the blocks (3, 0, 0) to (3, 7, 0):
//
//   static_assert(blocks_along{axis::y, 8, {3, 0, 0}}.block(7) == block_index{3, 7, 0});
struct blocks_along {
  bankmodel::axis axis = bankmodel::axis::x;
  long long count = 4;
  block_index first = {};

  BANKMODEL_FN blocks_along(bankmodel::axis direction, long long blocks = 4,
                            const block_index& origin = {})
      : axis(direction), count(blocks), first(origin) {}

  // Returns the first block's coordinate on the axis.
  BANKMODEL_FN long long begin() const {
    return axis == bankmodel::axis::x ? first.x : axis == bankmodel::axis::y ? first.y : first.z;
  }
  // Returns the index of block `number`, counted from the first one. Error: it overflows.
  BANKMODEL_FN block_index block(long long number) const {
    const long long coordinate = detail::checked_add(begin(), number);
    return {axis == bankmodel::axis::x ? coordinate : first.x,
            axis == bankmodel::axis::y ? coordinate : first.y,
            axis == bankmodel::axis::z ? coordinate : first.z};
  }

  // Does nothing if there are two blocks or more.
  // Error: there are fewer; an index is negative.
  BANKMODEL_FN void require_valid() const {
    if (count < 2) rule::at_least_two_blocks_must_be_compared(count);
    if (first.x < 0 || first.y < 0 || first.z < 0)
      rule::block_indices_must_not_be_negative(first.x, first.y, first.z);
  }
};

}  // namespace bankmodel

#endif
