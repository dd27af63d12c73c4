// SPDX-License-Identifier: MIT
#pragma once

#include <bankmodel/layout/layout.hpp>

#include "code.hpp"

namespace compiled {

// The layout of an array with these extents, in C's order.
// Requires: 1 to bankmodel::max_rank of them.
inline bankmodel::layout row_major(const std::vector<long long>& extents) {
  const auto extent = [&](std::size_t number) { return extents[number]; };
  switch (extents.size()) {
    case 1: return bankmodel::row_major(extent(0));
    case 2: return bankmodel::row_major(extent(0), extent(1));
    case 3: return bankmodel::row_major(extent(0), extent(1), extent(2));
    default: return bankmodel::row_major(extent(0), extent(1), extent(2), extent(3));
  }
}

// True if the extents and the element of an array are known, and are all of its `bytes`.
inline bool has_layout(const code_array& array, std::uint64_t bytes) {
  const std::size_t rank = array.extents.size();
  if (rank < 1 || rank > bankmodel::max_rank || array.element_bytes < 1) return false;
  auto total = static_cast<std::uint64_t>(array.element_bytes);
  for (const long long extent : array.extents) total *= static_cast<std::uint64_t>(extent);
  return total == bytes;
}

}  // namespace compiled
