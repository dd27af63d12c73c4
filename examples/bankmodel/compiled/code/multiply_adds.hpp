// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

#include "code.hpp"

namespace compiled {

// The fewest instructions that add or multiply floats of 32 bits in an execution of the block: each
// product is fused with a sum, if there is one.
inline std::uint64_t fewest_multiply_adds(const code_block& block) {
  std::uint64_t sums = 0, products = 0, fused = 0;
  for (const instruction& item : block.instructions) {
    if (item.operation != opcode::floating || item.bits != 32 || item.is_doubt) continue;
    switch (item.floating) {
      case floating_operation::add:
      case floating_operation::subtract: ++sums; break;
      case floating_operation::multiply: ++products; break;
      case floating_operation::fused: ++fused; break;
      default: break;
    }
  }
  return fused + std::max(sums, products);
}

}  // namespace compiled
