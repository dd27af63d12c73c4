// SPDX-License-Identifier: MIT
// expect: index_functions_must_have_at_most_160_steps
#include <bankmodel/layout/instruction_count.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr int terms = 60;
#else
constexpr int terms = 30;
#endif
struct long_family : bm::detail::family<long_family> {
  static constexpr void place(const bm::layout&, bm::detail::element_to_place& at) {
    bm::detail::term sum = at.number();
    for (int shift = 1; shift <= terms; ++shift) sum = sum ^ ((at.number() * (2 * shift + 1)) & 7);
    at.set_number(sum);
  }
  static constexpr bm::permutation inverse(const bm::permutation& p) { return p; }
};
constexpr bm::permutation p{
    bm::layout_family::other, 0, 1, {}, &bm::detail::any_family::functions<long_family>};
static_assert(bm::index_instructions(bm::row_major(32, 32).permuted(p)) > terms);
