// SPDX-License-Identifier: MIT
// expect: a_modular_layout_must_be_one_to_one
// One to one with the padding that it was made with, which is then taken away.
#include <bankmodel/layout/families.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr int padding = 0;
#else
constexpr int padding = 21;
#endif
static_assert(bm::row_major(7, 20)
                  .padded(21)
                  .permuted(bm::modular_in_a_box({2, 0, 0, 1}))
                  .padded(padding)
                  .padding() == 21);
