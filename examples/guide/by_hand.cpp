// SPDX-License-Identifier: MIT
// The model by hand: a 4 x 4 array on four banks, lane by lane, and then the library's result.
#include <bankmodel/analyze.hpp>
#include <bankmodel/report.hpp>
#include <cstdio>

namespace bm = bankmodel;
using namespace bm::index;

namespace {

// The formulas of the model on four banks with words of 4 bytes, without the library.
int bank_of(int byte) { return byte / 4 % 4; }
int layer_of(int byte, int layer_bytes) { return byte / (4 * layer_bytes); }

// Prints the bank of each element of float a[4][columns].
void print_banks(int columns) {
  std::printf("banks of float a[4][%d]\n", columns);
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < columns; ++column)
      std::printf("%s%d%s", column == 0 ? "  " : " ", bank_of(4 * (columns * row + column)),
                  column == columns - 1 ? "\n" : "");
  std::printf("\n");
}

// Four lanes read the first column of float a[4][columns]: prints the bank and layer of each,
// and the layers in each bank.
void print_column(int columns, int layer_bytes) {
  std::printf("| lane | reads | byte | bank | layer |\n| ---: | :--- | ---: | ---: | ---: |\n");
  for (int lane = 0; lane < 4; ++lane) {
    const int byte = 4 * columns * lane;
    std::printf("| %d | `a[%d][0]` | %d | %d | %d |\n", lane, lane, byte, bank_of(byte),
                layer_of(byte, layer_bytes));
  }
  std::printf("\n| bank | layers | how many |\n| ---: | :--- | ---: |\n");
  for (int bank = 0; bank < 4; ++bank) {
    std::printf("| %d |", bank);
    int layers = 0;
    for (int layer = 0; layer < 4; ++layer) {
      bool touched = false;
      for (int lane = 0; lane < 4; ++lane) {
        const int byte = 4 * columns * lane;
        touched = touched || (bank_of(byte) == bank && layer_of(byte, layer_bytes) == layer);
      }
      if (touched) std::printf("%s %d", layers++ == 0 ? "" : ",", layer);
    }
    std::printf(" | %d |\n", layers);
  }
  std::printf("\n");
}

// The same banks as a machine of the library: four lanes, layers of `layer_bytes`, words of 4
// bytes.
constexpr bm::machine four_banks(short layer_bytes) {
  bm::machine result;
  result.lanes = 4;
  result.loads.up_to_4 = result.stores.up_to_4 = {.bank_num = 4, .W = layer_bytes, .N = 4};
  return result;
}

constexpr auto bare = bm::shared_array<float>("a", 4, 4);
constexpr auto padded = bm::shared_array<float>("a", 4, 5);
constexpr auto column = bm::load(bare[tx][0]);
constexpr auto padded_column = bm::load(padded[tx][0]);
constexpr auto block = bm::block_dim{4};

static_assert(bm::total(four_banks(4), block, column).degree == 4);
static_assert(bm::total(four_banks(4), block, padded_column).degree == 1);
static_assert(bm::total(four_banks(8), block, column).degree == 2);

void print_cost(const char* label, const bm::cost& cost) {
  std::printf("%-22s  %10llu  %5llu  %9llu  %6d\n", label,
              static_cast<unsigned long long>(cost.wavefronts),
              static_cast<unsigned long long>(cost.ideal),
              static_cast<unsigned long long>(cost.conflicts()), cost.degree);
}

}  // namespace

int main() {
  print_banks(4);
  print_column(4, 4);
  print_banks(5);
  print_column(5, 4);
  print_column(4, 8);
  std::printf("                        wavefronts  ideal  conflicts  degree\n");
  print_cost("float a[4][4]", bm::total(four_banks(4), block, column));
  print_cost("float a[4][5]", bm::total(four_banks(4), block, padded_column));
  print_cost("float a[4][4], W = 8", bm::total(four_banks(8), block, column));
}
