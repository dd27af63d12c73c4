// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/IR/Constant.h>
#include <llvm/IR/DataLayout.h>

#include <cstdint>
#include <vector>

namespace compiled {

// The content of a constant in memory; empty if it has addresses or is too long.
std::vector<std::uint8_t> bytes_of(const llvm::Constant& constant, const llvm::DataLayout& layout);

}  // namespace compiled
