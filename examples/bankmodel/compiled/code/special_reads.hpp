// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_CODE_SPECIAL_READS_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_CODE_SPECIAL_READS_HPP

#include <algorithm>
#include <initializer_list>

#include "code.hpp"

namespace compiled {

// True if an instruction of the kernel reads one of these numbers, such as special::thread_y.
inline bool reads_special(const kernel_code& kernel, std::initializer_list<special> registers) {
  const auto is_meant = [&](const operand& value) {
    return value.is == operand::kind::special &&
           std::find(registers.begin(), registers.end(), static_cast<special>(value.value)) !=
               registers.end();
  };
  for (const code_block& block : kernel.blocks)
    for (const instruction& code : block.instructions)
      if (std::any_of(code.operands.begin(), code.operands.end(), is_meant)) return true;
  return false;
}

}  // namespace compiled

#endif
