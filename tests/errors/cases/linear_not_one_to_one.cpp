// SPDX-License-Identifier: MIT
// expect: a_linear_layout_must_be_one_to_one
#include <bankmodel/layout/families.hpp>

namespace bm = bankmodel;

constexpr bm::bit_matrix matrix() {
  bm::bit_matrix result = bm::identity_matrix(4);
#ifdef BROKEN
  result.set(3, 0b0110);  // columns 1 and 2
#else
  result.set(3, 0b1110);
#endif
  return result;
}
static_assert(bm::row_major(4, 4).permuted(bm::linear(matrix())).size() == 16);
