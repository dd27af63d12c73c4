// SPDX-License-Identifier: MIT
#include <bankmodel/layout.hpp>

namespace bm = bankmodel;

template <bm::layout L>
constexpr long long size_of = L.size();  // structural

// C's own layout, one to four dimensions, against the formula of nested arrays.
constexpr bool is_row_major(long long e0, long long e1, long long e2, long long e3, long long padding) {
  const bm::layout four = bm::row_major(e0, e1, e2, e3).padded(padding);
  const bm::layout three = bm::row_major(e1, e2, e3).padded(padding);
  const bm::layout two = bm::row_major(e2, e3).padded(padding);
  const bm::layout one = bm::row_major(e3).padded(padding);
  const long long row = e3 + padding;
  for (long long a = 0; a < e0; ++a)
    for (long long b = 0; b < e1; ++b)
      for (long long c = 0; c < e2; ++c)
        for (long long d = 0; d < e3; ++d) {
          const long long in_two = c * row + d, in_three = b * e2 * row + in_two;
          if (one(d) != d || two(c, d) != in_two || three(b, c, d) != in_three) return false;
          if (four(a, b, c, d) != a * e1 * e2 * row + in_three) return false;
        }
  return four.size() == e0 * e1 * e2 * row && two.size() == e2 * row && two.padding() == padding && four.padding() == padding &&
         one.padding() == 0 && four.rank == 4 && three.rank == 3 && two.rank == 2 && one.rank == 1;
}
static_assert(is_row_major(2, 3, 4, 5, 0) && is_row_major(2, 3, 4, 5, 3) && is_row_major(1, 1, 1, 1, 1) && is_row_major(3, 1, 2, 1, 0));

// The examples of the header.
static_assert(bm::row_major(32, 32)(1, 0) == 32 && bm::row_major(32, 32).padded(1)(1, 0) == 33);
static_assert(bm::row_major(32, 33)(1, 0) == 33 && bm::row_major(32, 33) != bm::row_major(32, 32).padded(1));
static_assert(size_of<bm::row_major(32, 32).padded(1)> == 32 * 33);

// Padding replaces, it does not add up; extents stay.
static_assert(bm::row_major(8, 8).padded(3).padded(1) == bm::row_major(8, 8).padded(1));
static_assert(bm::row_major(8, 8).padded(0) == bm::row_major(8, 8));
static_assert(bm::row_major(8, 9).padded(2).extent[0] == 8 && bm::row_major(8, 9).padded(2).extent[1] == 9);

// Unsigned and mixed arguments.
static_assert(bm::row_major(8u, 9ull) == bm::row_major(8, 9) && bm::row_major(8, 9)(1u, short{2}) == 11);

// The largest array that 64 bits can count.
static_assert(bm::row_major(0x7fffffffffffffff).size() == 0x7fffffffffffffff);
