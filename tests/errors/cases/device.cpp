// SPDX-License-Identifier: MIT
// expect: the_block_must_fit_the_machine
// expect: step_must_not_be_zero
// compilers: g++ clang++ nvcc
// Inside a function of the device, where a guard is written beside what it guards.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr int rows = 33, step = 0;
#else
constexpr int rows = 32, step = 8;
#endif
BANKMODEL_FN inline int in_a_kernel() {
  using namespace bm::index;
  constexpr auto a = bm::shared_array<float>("a", 64);
  static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32, rows}, a[tx]).requests == 32);
  static_assert(bm::for_loop(j, bm::range(0, 32, step), a[tx + j]).depth == 1);
  return 0;
}
