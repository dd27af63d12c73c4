// SPDX-License-Identifier: MIT
// expect: permutations_must_be_of_rows
#include <bankmodel/layout/families.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr bm::layout array = bm::row_major(1024);
#else
constexpr bm::layout array = bm::row_major(32, 32);
#endif
static_assert(array.permuted(bm::rotation(1)).size() == 1024);
