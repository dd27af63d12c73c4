// SPDX-License-Identifier: MIT
// The plans of the 13 kernels as constants, within the default limits of the compiler: over padding
// and over every family, and the list of those that are not complete.
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>

#include "examples/kernels.hpp"
#include "same_plan.hpp"

#include <string>

namespace bm = bankmodel;

namespace {

#ifndef BANKMODEL_TESTED_MACHINE
#define BANKMODEL_TESTED_MACHINE nvidia::sm_90
#endif
constexpr const bm::machine& machine = bm::BANKMODEL_TESTED_MACHINE;

// A function for each, so that each has its own compiler limits.
template <const auto& Kernel, unsigned Families>
void compare(const std::string& name) {
  constexpr bm::search options{.layouts = {Families}};
  constexpr auto constant = bm::optimize(machine, Kernel, options);
  const auto plan = bm::optimize(machine, Kernel, options);
  const char* const prefix = machine.made_by == bm::vendor::amd ? "gfx942 "
                             : machine.model == 35              ? "sm_35 "
                                                                : "sm_90 ";
  INFO(prefix << name << ", families " << Families);
  CHECK(plan.is_optimal());
  CHECK(plan.is_complete());
  check_same_plan(constant, plan);
}
template <const auto& Kernel>
void compare(const std::string& name) {
  compare<Kernel, bm::layouts::padding.bits>(name);
  compare<Kernel, bm::layouts::all.bits>(name);
}

}  // namespace

TEST_CASE("plans of the 13 kernels as constants", "[plan]") {
  compare<kernels::fd3d::stencil_3D_16x16_order8>("stencil_3D_16x16_order8");
  compare<kernels::nw::needle_cuda_shared_1>("needle_cuda_shared_1");
  compare<kernels::transpose::copySharedMem>("copySharedMem");
  compare<kernels::transpose::transposeCoalesced>("transposeCoalesced");
  compare<kernels::transpose::transposeNoBankConflicts>("transposeNoBankConflicts");
  compare<kernels::transpose::transposeDiagonal>("transposeDiagonal");
  compare<kernels::transpose::transposeFineGrained>("transposeFineGrained");
  compare<kernels::transpose::transposeCoarseGrained>("transposeCoarseGrained");
  compare<kernels::lud::lud_diagonal>("lud_diagonal");
  compare<kernels::lud::lud_perimeter>("lud_perimeter");
  compare<kernels::convolution_separable::convolutionRowsKernel>("convolutionRowsKernel");
  compare<kernels::convolution_separable::convolutionColumnsKernel>("convolutionColumnsKernel");
  compare<kernels::shfl_scan::shfl_vertical_shfl>("shfl_vertical_shfl");
}
