// SPDX-License-Identifier: MIT
// expect: groups_must_be_powers_of_two_that_fit_the_rows
#include <bankmodel/layout/families.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr int columns = 34;
#else
constexpr int columns = 36;
#endif
static_assert(bm::row_major(32, columns).permuted(bm::rotation(1).in_groups_of(4)).padding() == 0);
