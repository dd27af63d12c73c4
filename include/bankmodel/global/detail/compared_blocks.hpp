// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_DETAIL_COMPARED_BLOCKS_HPP
#define BANKMODEL_GLOBAL_DETAIL_COMPARED_BLOCKS_HPP

#include <bankmodel/global/blocks_along.hpp>
#include <bankmodel/global/detail/touched_runs.hpp>
#include <bankmodel/global/sharing.hpp>

// Comparing the places of consecutive blocks, where no linear form says how they move.
namespace bankmodel::detail {

// list(number, runs) adds the bytes of block `number`. `whole`: the movement of
// blocks that no condition changes, or null if it is unknown.
#if defined(__CUDACC__)
#pragma nv_exec_check_disable  // list() may be for the host alone
#endif
template <class List>
BANKMODEL_FN block_sharing compared_blocks(long long blocks, const List& list,
                                           const block_sharing* whole) {
  if (blocks < 2) rule::at_least_two_blocks_must_be_compared(blocks);
  block_sharing result;
  touched_runs both[2];
  bool even = true, any = false, two_are_whole = false;
  for (long long number = 0; number < blocks; ++number) {
    touched_runs& now = both[number % 2];
    const touched_runs& before = both[1 - number % 2];
    now.clear();
    list(number, now);
    now.tidy();
    any = any || now.count() > 0;
    if (number == 0) {
      result.touched_bytes = now.bytes();
      continue;
    }
    const long long shared = now.common_bytes(before, 0);
    if (shared > result.overlap_bytes) result.overlap_bytes = shared;
    if (whole != nullptr && before.bytes() == whole->touched_bytes &&
        now.bytes() == whole->touched_bytes)
      two_are_whole = true;
    if (before.count() == 0 || now.count() == 0) {
      even = false;
      continue;
    }
    const long long by = now[0].begin - before[0].begin;
    if (number == 1) result.bytes = by;
    even = even && by == result.bytes && before.moves_to(now, by);
  }
  if (!any) rule::blocks_must_touch_memory();
  if (!even && two_are_whole) {
    result = *whole;
    result.proven = false;
  } else if (!even) {
    result.bytes = 0;
  } else {
    result.relation = result.bytes == 0          ? sharing::the_same
                      : result.overlap_bytes > 0 ? sharing::overlapping
                                                 : sharing::exclusive;
    for (long long apart = 2; apart < blocks && result.shares_again_after == 0; ++apart)
      if (both[0].common_bytes(both[0], apart * result.bytes) > 0)
        result.shares_again_after = apart;
  }
  result.blocks = blocks;
  return result;
}

}  // namespace bankmodel::detail

#endif
