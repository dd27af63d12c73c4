// SPDX-License-Identifier: MIT
// Seven ways to copy or transpose a matrix, in both memories: on the lecture's machine, a K40, and
// on a current one.
#include <bankmodel/count/totals.hpp>
#include <cstdio>

#include "lecture_transposes.hpp"

namespace bm = bankmodel;
using namespace bm::index;

int main() {
  lecture_transposes::print(bm::nvidia::sm_35);
  std::printf("\n");
  lecture_transposes::print(bm::nvidia::sm_90);
  const bm::cost loads = bm::totals(bm::nvidia::sm_35, lecture_transposes::copy).loads *
                         lecture_transposes::grid.blocks();
  std::printf("\nThe copy makes %llu shared loads: those of 256 x 256 blocks of 32 warps.\n",
              static_cast<unsigned long long>(loads.requests));

  // A tile's rows as 8 warps store them, in blocks that run at the same time.
  constexpr bm::block_dim warps{32, 8};
  constexpr bm::blocks_along row(bm::axis::x, 32);
  constexpr auto in_order = bm::store(lecture_transposes::output[32 * bx + ty][32 * by + tx]);
  constexpr auto by_diagonals = bm::store(
      lecture_transposes::output[32 * ((bx + by) % lecture_transposes::tiles) + ty][32 * bx + tx]);
  const auto camping = [&](const auto& access) {
    return bm::partition_camping(bm::nvidia::sm_13, warps, row, access).worst_over_mean();
  };
  std::printf(
      "On sm_13 the busiest of 8 partitions of the memory stores %.1f times the mean for 32 blocks "
      "in order,\nand %.1f times the mean for 32 blocks in the order of diagonals.\n",
      camping(in_order), camping(by_diagonals));
  return loads.requests == 2'097'152 ? 0 : 1;
}
