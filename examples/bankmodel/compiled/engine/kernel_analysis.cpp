// SPDX-License-Identifier: MIT
#include "kernel_analysis.hpp"

namespace compiled {

kernel_analysis::kernel_analysis(const kernel_code& kernel)
    : kernel_(kernel),
      loops_(loops_of(kernel)),
      order_(order_of_blocks(kernel, loops_)),
      meets_in_(post_dominators(kernel)),
      only_fails_(compiled::only_fails(kernel)),
      may_be_shared_(may_hold_shared_address(kernel)),
      depends_on_block_(depends_on_block_index(kernel)),
      regions_(kernel.blocks.size()),
      arms_(kernel.blocks.size()) {}

const region& kernel_analysis::region_of(int block) const {
  auto& result = regions_[slot(block)];
  if (!result) result = region_between(kernel_, block, meets_in(block), may_be_shared_);
  return *result;
}

const branch_arms& kernel_analysis::arms_of(int block) const {
  auto& result = arms_[slot(block)];
  if (!result) result = arms_of_branch(kernel_, block, meets_in(block));
  return *result;
}

const needed_values& kernel_analysis::needed(needed_for purpose) const {
  auto& result = needed_[static_cast<std::size_t>(purpose)];
  if (!result) result = needed_registers(kernel_, purpose);
  return *result;
}

}  // namespace compiled
