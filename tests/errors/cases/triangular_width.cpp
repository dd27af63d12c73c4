// SPDX-License-Identifier: MIT
// expect: triangles_of_columns_must_have_a_width_of_a_power_of_two
#include <bankmodel/layout/families.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr auto of = bm::triangle::of_columns;
#else
constexpr auto of = bm::triangle::of_rows;
#endif
static_assert(bm::row_major(24, 24).permuted(bm::triangular(of))(0, 1) == 1);
