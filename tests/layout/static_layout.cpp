// SPDX-License-Identifier: MIT
#include <bankmodel/layout/layout.hpp>

namespace bm = bankmodel;

template <bm::layout L>
constexpr long long size_of = L.required_size();  // structural

// C's own layout, one to four dimensions, against the formula of nested arrays.
constexpr bool is_row_major(long long e0, long long e1, long long e2, long long e3,
                            long long padding) {
  const bm::layout four = bm::row_major(e0, e1, e2, e3).padded(padding);
  const bm::layout three = bm::row_major(e1, e2, e3).padded(padding);
  const bm::layout two = bm::row_major(e2, e3).padded(padding);
  const bm::layout single = bm::row_major(e3).padded(padding);
  const long long row = e3 + padding;
  for (long long a = 0; a < e0; ++a)
    for (long long b = 0; b < e1; ++b)
      for (long long c = 0; c < e2; ++c)
        for (long long d = 0; d < e3; ++d) {
          const long long in_two = c * row + d, in_three = b * e2 * row + in_two;
          if (single(d) != d || two(c, d) != in_two || three(b, c, d) != in_three) return false;
          if (four(a, b, c, d) != a * e1 * e2 * row + in_three) return false;
        }
  return four.required_size() == e0 * e1 * e2 * row && two.required_size() == e2 * row &&
         two.padding() == padding && four.padding() == padding && single.padding() == 0 &&
         four.rank == 4 && three.rank == 3 && two.rank == 2 && single.rank == 1;
}
static_assert(is_row_major(2, 3, 4, 5, 0) && is_row_major(2, 3, 4, 5, 3) &&
              is_row_major(1, 1, 1, 1, 1) && is_row_major(3, 1, 2, 1, 0));

// The examples of the header.
static_assert(bm::row_major(32, 32)(1, 0) == 32 && bm::row_major(32, 32).padded(1)(1, 0) == 33);
static_assert(bm::row_major(32, 33)(1, 0) == 33 &&
              bm::row_major(32, 33) != bm::row_major(32, 32).padded(1));
static_assert(size_of<bm::row_major(32, 32).padded(1)> == 32 * 33);

// Padding replaces earlier padding; extents stay.
static_assert(bm::row_major(8, 8).padded(3).padded(1) == bm::row_major(8, 8).padded(1));
static_assert(bm::row_major(8, 8).padded(0) == bm::row_major(8, 8));
static_assert(bm::row_major(8, 9).padded(2).extent[0] == 8 &&
              bm::row_major(8, 9).padded(2).extent[1] == 9);

// Unsigned and mixed arguments.
static_assert(bm::row_major(8u, 9ull) == bm::row_major(8, 9) &&
              bm::row_major(8, 9)(1u, short{2}) == 11);

// The largest array that 64 bits can count.
static_assert(bm::row_major(0x7fffffffffffffff).required_size() == 0x7fffffffffffffff);

// Padding of one dimension keeps that of the others; the example of the header.
static_assert(bm::row_major(4, 8, 32).padded(1, 1).padded(2, 0).stride[0] == 8 * 33 + 2);
static_assert(bm::row_major(4, 8, 32).padded(2, 0).padded(1, 1) ==
              bm::row_major(4, 8, 32).padded(1, 1).padded(2, 0));
static_assert(bm::row_major(4, 8, 32).padded(2, 0)(1, 0, 0) == 258 &&
              bm::row_major(4, 8, 32).padded(2, 0).padding() == 0);
static_assert(bm::row_major(4, 8, 32).padded(2, 0).padding(0) == 2 &&
              bm::row_major(4, 8, 32).padded(3).padding(0) == 0);
static_assert(bm::row_major(4, 8, 32).padded(2, 0).required_size() == 4 * 258 &&
              bm::row_major(4, 8, 32).padded(2, 0).padded(0) == bm::row_major(4, 8, 32));

// Intervals: element c is stored after one unused element for each whole interval before it.
constexpr bool lies_at_intervals(long long extent, long long interval, long long elements) {
  const bm::layout array_layout = bm::row_major(extent).padded_every(interval, elements);
  for (long long c = 0; c < extent; ++c)
    if (array_layout(c) != c + c / interval * elements) return false;
  return array_layout.required_size() == array_layout(extent - 1) + 1;
}
static_assert(lies_at_intervals(1024, 32, 1) && lies_at_intervals(100, 7, 3) &&
              lies_at_intervals(32, 32, 1) && lies_at_intervals(33, 32, 5));
static_assert(bm::row_major(1024).padded_every(32, 1)(32) == 33 &&
              bm::row_major(1024).padded_every(32, 0) == bm::row_major(1024));
static_assert(size_of<bm::row_major(1024).padded_every(32, 1)> == 1055);
