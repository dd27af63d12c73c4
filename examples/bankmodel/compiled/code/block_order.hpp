// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "code.hpp"
#include "loops.hpp"

// Where the lanes of a warp that a branch has separated rejoin.
namespace compiled {

// The ranks by which a warp chooses which of its lanes go on: those with the lowest rank. Lanes
// with one rank are at one block and go on together. A block has a higher rank than all from which
// it is reached without going back, and all blocks of a loop have lower ranks than those behind the
// loop. So lanes wait where others may still come to them, and nowhere else: lanes that leave a
// loop, a short circuit or the kernel early hold nobody back. Lanes that only have to end do so at
// once: the ranks of their blocks are the lowest.
struct block_order {
  std::vector<int> rank;        // by block
  std::vector<int> next_round;  // by block: of lanes that come back to the head of a loop; else -1

  // Of lanes that go from one block to another.
  int rank_between(int source, int target) const {
    const auto head = static_cast<std::size_t>(target);
    const bool goes_back = rank[head] <= rank[slot(source)];
    return goes_back && next_round[head] >= 0 ? next_round[head] : rank[head];
  }
};

// ptxas lets the lanes of a loop rejoin behind it, where all its exits have met. Code that a lane
// executes on its way from a loop to there (`{ s[t] = i; break; }`) counts as a part of the loop:
// lanes that come there in another iteration execute it for themselves. The code behind the branch
// that goes back is no part of it, if nothing else comes there and no other exit has more. Of exits
// that never meet (`{ s[t] = i; return; }`) lanes rejoin behind one alone, that with the most
// accesses behind it. (tests/command_line/reconvergence/shapes.py: machines from 8.0 on; those of
// 7.5 let lanes rejoin in breaks too. Of several other blocks in which lanes meet, ptxas takes one
// for each branch above them; here lanes rejoin in all.)
block_order order_of_blocks(const kernel_code& kernel, const loop_structure& loops);

}  // namespace compiled
