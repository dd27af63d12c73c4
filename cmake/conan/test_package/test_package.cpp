// SPDX-License-Identifier: MIT
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/version.hpp>
#include <cstdio>

int main() {
  namespace bm = bankmodel;
  constexpr auto tile = bm::shared_array<float>("tile", 32, 33);
  constexpr bm::cost cost =
      bm::total(bm::nvidia::sm_90, bm::block_dim{32, 8}, tile[bm::index::tx][bm::index::ty]);
  static_assert(bm::guard<cost>);
  std::printf("bankmodel %s: %lld conflicts\n", BANKMODEL_VERSION_STRING, cost.conflicts());
}
