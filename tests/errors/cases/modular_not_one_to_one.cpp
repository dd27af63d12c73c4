// SPDX-License-Identifier: MIT
// expect: a_modular_layout_must_be_one_to_one
#include <bankmodel/layout/families.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr bm::permutation by = bm::modular({2, 1, 0, 1});
#else
constexpr bm::permutation by = bm::modular({3, 1, 0, 1});
#endif
static_assert(bm::row_major(32, 32).permuted(by).size() == 1024);
