// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <initializer_list>

#include "code.hpp"

namespace compiled {

// True if an instruction of the kernel reads one of these numbers, such as special::thread_y.
inline bool reads_special(const kernel_code& kernel, std::initializer_list<special> registers) {
  const auto is_meant = [&](const operand& value) {
    return value.is == operand::kind::special &&
           includes(registers, static_cast<special>(value.value));
  };
  for (const code_block& block : kernel.blocks)
    for (const instruction& code : block.instructions)
      if (std::ranges::any_of(code.operands, is_meant)) return true;
  return false;
}

}  // namespace compiled
