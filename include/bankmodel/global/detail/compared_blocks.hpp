// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_DETAIL_COMPARED_BLOCKS_HPP
#define BANKMODEL_GLOBAL_DETAIL_COMPARED_BLOCKS_HPP

#include <bankmodel/global/blocks_along.hpp>
#include <bankmodel/global/detail/touched_runs.hpp>
#include <bankmodel/global/sharing.hpp>

// Comparing the places of consecutive blocks, where no linear form says how they move.
namespace bankmodel::detail {

// list(number, runs) adds the bytes of block `number`. `full_movement`: the movement of blocks that
// no condition changes, or null if it is unknown.
#if defined(__CUDACC__)
#pragma nv_exec_check_disable  // list() may be for the host alone
#endif
template <class List>
BANKMODEL_FN block_sharing compared_blocks(long long blocks, const List& list,
                                           const block_sharing* full_movement) {
  if (blocks < 2) rule::at_least_two_blocks_must_be_compared(blocks);
  block_sharing result;
  touched_runs runs[2];
  bool even = true, is_touched = false, two_are_whole = false;
  for (long long number = 0; number < blocks; ++number) {
    touched_runs& current = runs[number % 2];
    const touched_runs& previous = runs[1 - number % 2];
    current.clear();
    list(number, current);
    current.tidy();
    is_touched = is_touched || current.count() > 0;
    if (number == 0) {
      result.touched_bytes = current.bytes();
      continue;
    }
    const long long shared = current.common_bytes(previous, 0);
    if (shared > result.overlap_bytes) result.overlap_bytes = shared;
    if (full_movement != nullptr && previous.bytes() == full_movement->touched_bytes &&
        current.bytes() == full_movement->touched_bytes)
      two_are_whole = true;
    if (previous.count() == 0 || current.count() == 0) {
      even = false;
      continue;
    }
    const long long distance = current[0].begin - previous[0].begin;
    if (number == 1) result.bytes = distance;
    even = even && distance == result.bytes && previous.moves_to(current, distance);
  }
  if (!is_touched) rule::blocks_must_touch_memory();
  if (!even && two_are_whole) {
    result = *full_movement;
    result.proven = false;
  } else if (!even) {
    result.bytes = 0;
  } else {
    result.relation = result.bytes == 0          ? sharing::the_same
                      : result.overlap_bytes > 0 ? sharing::overlapping
                                                 : sharing::exclusive;
    for (long long steps = 2; steps < blocks && result.shares_again_after == 0; ++steps)
      if (runs[0].common_bytes(runs[0], steps * result.bytes) > 0)
        result.shares_again_after = steps;
  }
  result.blocks = blocks;
  return result;
}

}  // namespace bankmodel::detail

#endif
