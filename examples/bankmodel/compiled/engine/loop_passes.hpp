// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "../code/code.hpp"
#include "kernel_analysis.hpp"
#include "run.hpp"

// How often each lane has gone on with a loop, where launch::assumed says how often it does.
namespace compiled {

// The branches that end loops and whose lines are in launch::assumed.
class loop_ends {
 public:
  struct loop_end {
    int header = 0;
    bool first_stays = false;   // the first of the branch's two blocks is in the loop
    std::vector<bool> in_loop;  // by block
  };

  loop_ends(const kernel_analysis& analysis, const launch& settings);

  // The number of the branch at the end of this block; -1 if it is none of them.
  int number(int block) const { return of_block_.empty() ? -1 : of_block_[slot(block)]; }
  const std::vector<loop_end>& ends() const { return ends_; }

 private:
  std::vector<loop_end> ends_;
  std::vector<int> of_block_;
};

// Of one warp.
class loop_passes {
 public:
  loop_passes(const loop_ends& branches, int lanes);

  // `lanes` go from the block to one of its successors: loops that they may enter begin anew.
  void leave(const std::vector<int>& successors, int block, std::uint64_t lanes);
  // Of `lanes`, those that have gone on fewer than `times` times.
  std::uint64_t unfinished(int branch, std::uint64_t times, std::uint64_t lanes) const;
  void go_on(int branch, std::uint64_t lanes);

 private:
  const loop_ends* branches_;
  std::vector<std::vector<std::uint64_t>> passes_;  // by branch and lane
};

}  // namespace compiled
