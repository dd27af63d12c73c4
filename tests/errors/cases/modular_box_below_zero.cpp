// SPDX-License-Identifier: MIT
// expect: a_transformation_into_a_box_must_not_lead_below_0
#include <bankmodel/layout/families.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr bm::matrix t{-1, 0, 0, 1};
#else
constexpr bm::matrix t{1, 1, 0, 1};
#endif
static_assert(bm::row_major(4, 4).permuted(bm::modular_in_a_box(t))(0, 0) == 0);
