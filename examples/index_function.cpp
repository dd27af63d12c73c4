// SPDX-License-Identifier: MIT
// One index function for the kernel and for the model: called with numbers it computes, called
// with tx and ty it returns a subscript.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/report.hpp>
#include <cstdio>

namespace bm = bankmodel;
using bm::nvidia::sm_90;

// The column at which a swizzled 32 x 32 tile stores column `column` of a row.
struct swizzled_column {
  template <class Row, class Column>
  BANKMODEL_FN auto operator()(Row row, Column column) const {
    return column ^ (row % 32);
  }
};
struct plain_column {
  template <class Row, class Column>
  BANKMODEL_FN auto operator()(Row, Column column) const {
    return column;
  }
};

// The model's view: a 32 x 8 block reads tile[tx][column(tx, ty + j)].
template <class ColumnOf>
constexpr auto described(ColumnOf column) {
  using namespace bm::index;
  return bm::load(bm::for_loop(j, bm::range(0, 32, 8),
                               bm::shared_array<float>("tile", 32, 32)[tx][column(tx, ty + j)]));
}

// The kernel's view: the same function with numbers, thread by thread, and the cost of those
// addresses.
template <class ColumnOf>
bm::cost computed(ColumnOf column) {
  bm::cost sum{};
  for (int y = 0; y < 8; ++y)
    for (int step = 0; step < 32; step += 8) {
      bm::request warp{.active = 0xffffffff, .bytes = sizeof(float)};
      for (int x = 0; x < 32; ++x)
        warp.address[x] = static_cast<long long>(sizeof(float)) * (32 * x + column(x, y + step));
      sum = sum + bm::total(sm_90, warp);
    }
  return sum;
}

template <class ColumnOf>
bool agrees(ColumnOf column) {
  constexpr auto access = described(ColumnOf{});
  constexpr auto model = bm::total(sm_90, bm::block_dim{32, 8}, access);
  const auto kernel = computed(column);
  std::printf("%s\n    model  %3d conflicts\n    kernel %3d conflicts\n", bm::text(access).c_str(),
              static_cast<int>(model.conflicts()), static_cast<int>(kernel.conflicts()));
  return model.wavefronts == kernel.wavefronts && model.requests == kernel.requests;
}

int main() { return agrees(plain_column{}) && agrees(swizzled_column{}) ? 0 : 1; }
