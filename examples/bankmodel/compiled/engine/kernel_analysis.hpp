// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "../code/block_order.hpp"
#include "../code/control_flow.hpp"
#include "../code/loops.hpp"
#include "branch_arms.hpp"
#include "needed_registers.hpp"

namespace compiled {

// What the code of a kernel says whatever the launch is. A launch is completed in as many runs as
// it has assumptions, and of a large kernel this takes longer than a run. One thread uses it; the
// kernel must outlive it and stay as it is.
class kernel_analysis {
 public:
  explicit kernel_analysis(const kernel_code& kernel);

  const kernel_code& kernel() const { return kernel_; }
  const loop_structure& loops() const { return loops_; }
  const block_order& order() const { return order_; }
  int meets_in(int block) const { return meets_in_[slot(block)]; }
  bool only_fails(int block) const { return only_fails_[slot(block)]; }
  const std::vector<bool>& may_be_shared() const { return may_be_shared_; }
  // By register, as depends_on_block_index().
  const std::vector<bool>& depends_on_block() const { return depends_on_block_; }
  // Of the branch at the end of the block.
  const region& region_of(int block) const;
  const branch_arms& arms_of(int block) const;
  const needed_values& needed(needed_for purpose) const;  // see needed_registers()

 private:
  const kernel_code& kernel_;
  loop_structure loops_;
  block_order order_;
  std::vector<int> meets_in_;
  std::vector<bool> only_fails_, may_be_shared_, depends_on_block_;
  // Found when they are first asked for.
  mutable std::vector<std::optional<region>> regions_;
  mutable std::vector<std::optional<branch_arms>> arms_;
  mutable std::array<std::optional<needed_values>, 3> needed_;  // by purpose
};

}  // namespace compiled
