// SPDX-License-Identifier: MIT
// Plans as constants, within the default limits of the compiler, are those of run time.
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include "same_plan.hpp"
#include "small_kernels.hpp"

namespace bm = bankmodel;

namespace {

#ifndef BANKMODEL_TESTED_MACHINE
#define BANKMODEL_TESTED_MACHINE nvidia::sm_90
#endif
constexpr const bm::machine& machine = bm::BANKMODEL_TESTED_MACHINE;

// A function for each, so that each has its own compiler limits.
template <const auto& Kernel>
auto constant_plan() {
  constexpr auto plan = bm::optimize(machine, Kernel);
  static_assert(bm::expect_complete<plan.is_complete()>::value);
  return plan;
}

template <const auto& Kernel>
void compare(int number) {
  INFO("kernel " << number);
  const auto constant = constant_plan<Kernel>(), computed = bm::optimize(machine, Kernel);
  check_same_plan(constant, computed);
}

}  // namespace

TEST_CASE("a plan as a constant is the plan at run time", "[plan]") {
  compare<small_kernels::kernel_1>(1);
  compare<small_kernels::kernel_2>(2);
  compare<small_kernels::kernel_3>(3);
  compare<small_kernels::kernel_4>(4);
  compare<small_kernels::kernel_5>(5);
  compare<small_kernels::kernel_6>(6);
  compare<small_kernels::kernel_7>(7);
  compare<small_kernels::kernel_8>(8);
  compare<small_kernels::kernel_9>(9);
  compare<small_kernels::kernel_10>(10);
  compare<small_kernels::kernel_11>(11);
  compare<small_kernels::kernel_12>(12);
  compare<small_kernels::kernel_13>(13);
  compare<small_kernels::kernel_14>(14);
  compare<small_kernels::kernel_15>(15);
  compare<small_kernels::kernel_16>(16);
  compare<small_kernels::kernel_17>(17);
  compare<small_kernels::kernel_18>(18);
  compare<small_kernels::kernel_19>(19);
  compare<small_kernels::kernel_20>(20);
  compare<small_kernels::kernel_21>(21);
  compare<small_kernels::kernel_22>(22);
  compare<small_kernels::kernel_23>(23);
  compare<small_kernels::kernel_24>(24);
  compare<small_kernels::kernel_25>(25);
  compare<small_kernels::kernel_26>(26);
  compare<small_kernels::kernel_27>(27);
  compare<small_kernels::kernel_28>(28);
  compare<small_kernels::kernel_29>(29);
  compare<small_kernels::kernel_30>(30);
}
