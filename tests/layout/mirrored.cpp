// SPDX-License-Identifier: MIT
// A family of one file, in each of the five uses of its one program: evaluated, written into
// subscripts, run by a tile, priced in instructions, printed.
#include <bankmodel/analyze.hpp>
#include <bankmodel/layout/families/mirrored.hpp>
#include <bankmodel/layout/instruction_count.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/report.hpp>
#include <bankmodel/tile.hpp>

#include "catch.hpp"

namespace bm = bankmodel;
using namespace bm::index;

namespace {

constexpr long long column_of(long long row, long long column, long long width) {
  return (width - 1 - column + row) % width;
}

template <int Rows, int Columns>
int wrong_elements() {
  constexpr auto of = bm::row_major(Rows, Columns).permuted(bm::mirrored());
  static bm::tile<int, of> tile;
  int wrong = 0;
  for (int row = 0; row < Rows; ++row)
    for (int column = 0; column < Columns; ++column) {
      const long long element = row * Columns + column_of(row, column, Columns);
      wrong += of(row, column) != element;
      wrong += of.coordinates(element)[0] != row || of.coordinates(element)[1] != column;
      wrong += &tile(row, column) - tile.data() != element;
    }
  return wrong;
}

// One request of a warp of lanes that are in one row each, by counting.
int passes_of_a_column(int rows, int columns, int column) {
  int in_bank[32] = {}, most = 0;
  for (int row = 0; row < rows; ++row) {
    const int here = ++in_bank[(row * columns + column_of(row, column, columns)) % 32];
    most = here > most ? here : most;
  }
  return most;
}

}  // namespace

TEST_CASE("a mirrored array is evaluated, inverted and run as it is defined") {
  CHECK(wrong_elements<32, 32>() == 0);
  CHECK(wrong_elements<16, 16>() == 0);
  CHECK(wrong_elements<5, 24>() == 0);
  CHECK(wrong_elements<7, 3>() == 0);
}

TEST_CASE("a mirrored array is counted, priced and printed") {
  for (const int columns : {8, 16, 32, 33, 48}) {
    const auto plain = bm::shared_array<float>("tile", 32, columns);
    const auto tile = plain.with(plain.layout.permuted(bm::mirrored()));
    for (int column = 0; column < columns; column += 3)
      CHECK(bm::total(bm::nvidia::sm_90, bm::block_dim{32}, tile[tx][0 * tx + column]).wavefronts ==
            static_cast<unsigned long long>(passes_of_a_column(32, columns, column)));
  }
  constexpr auto of = bm::row_major(32, 32).permuted(bm::mirrored());
  CHECK(bm::index_instructions(of) == 3);
  CHECK(bm::text(of) == "[32][32], element [r][c] at [r][(31 * c + r + 31) % 32]");
}
