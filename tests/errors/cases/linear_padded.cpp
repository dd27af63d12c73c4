// SPDX-License-Identifier: MIT
// expect: linear_layouts_must_be_of_powers_of_two_without_padding
#include <bankmodel/layout/families.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr int padding = 1;
#else
constexpr int padding = 0;
#endif
static_assert(
    bm::row_major(4, 4).permuted(bm::linear(bm::identity_matrix(4))).padded(padding).size() == 16);
