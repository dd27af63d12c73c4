// SPDX-License-Identifier: MIT
// expect: permutations_must_come_from_a_family
#include <bankmodel/layout/families/rotation.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr bm::permutation p{.family = bm::layout_family::rotation,
                            .number = {1, 0, 0, 0}};  // without its functions
#else
constexpr bm::permutation p = bm::rotation(1);
#endif
static_assert(bm::row_major(32, 32).permuted(p).required_size() == 1024);
