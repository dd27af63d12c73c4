// SPDX-License-Identifier: MIT
// expect: bankmodel: the index function of a permuted tile would leave 31 bits
// expect-g++: a_permuted_tile_must_be_indexed_in_31_bits<2499950000>
// expect-clang++: a_permuted_tile_must_be_indexed_in_31_bits<2499950000>
#include <bankmodel/tile.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr int rows = 50000;
#else
constexpr int rows = 40000;
#endif
constexpr bm::layout tall = bm::row_major(rows, 3).permuted(bm::triangular(bm::triangle::of_rows));
BANKMODEL_FN int number(int row, int column) { return bm::element<tall>(row, column); }
static_assert(number(0, 1) == 1);
