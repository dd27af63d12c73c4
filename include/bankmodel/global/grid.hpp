// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_GRID_HPP
#define BANKMODEL_GLOBAL_GRID_HPP

#include <bankmodel/core/arithmetic.hpp>
#include <bankmodel/core/error.hpp>

namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void a_grid_must_have_blocks(long long x, long long y, long long z) {
  detail::fail(__func__, "a grid of % x % x % blocks; use 1 or more along each axis", x, y, z);
}
}  // namespace rule

// The blocks of a launch, as gridDim: grid_dim{32, 32} has 1024.
struct grid_dim {
  long long x = 1, y = 1, z = 1;
  bool operator==(const grid_dim&) const = default;

  // The number of blocks.
  // Error: there is none along an axis, or the number exceeds 64 bits.
  BANKMODEL_FN std::uint64_t blocks() const {
    if (x < 1 || y < 1 || z < 1) rule::a_grid_must_have_blocks(x, y, z);
    return detail::checked_count_product(
        detail::checked_count_product(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y)),
        static_cast<std::uint64_t>(z));
  }
};

// The axes of a grid or of a block.
enum class axis : unsigned char { x, y, z };

}  // namespace bankmodel

#endif
