// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_ANALYSIS_TRIANGULAR_ROOT_HPP
#define BANKMODEL_ANALYSIS_TRIANGULAR_ROOT_HPP

#include <bankmodel/core/arithmetic.hpp>

namespace bankmodel::detail {

// `value` modulo `width`, as 0 to width - 1.
BANKMODEL_FN long long least_remainder(long long value, long long width) {
  return (value % width + width) % width;
}

// The column c below `width`, a power of two, whose triangular number c (c + 1) / 2 has this
// remainder. 8 times that number plus 1 is (2c + 1)^2, so 2c + 1 is a square root modulo 8 * width.
// It is found bit by bit: adding 2^(b-1) to an odd number changes bit b of its square and no lower
// bit. Of the two roots below 4 * width, one is the negative of the other.
BANKMODEL_FN long long triangular_root(long long remainder, long long width) {
  const long long square = 8 * remainder + 1;
  long long root = 1;
  for (long long bit = 8; bit < 8 * width; bit *= 2)
    if (((root * root - square) & bit) != 0) root += bit / 2;
  return ((root > 2 * width ? 4 * width - root : root) - 1) / 2;
}

}  // namespace bankmodel::detail

#endif
