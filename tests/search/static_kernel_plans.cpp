// SPDX-License-Identifier: MIT
// The padding plans of the 13 kernels as constants, within the default limits of the compiler:
// all proven.
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>

#include "examples/kernels.hpp"

using bankmodel::optimize;
using bankmodel::nvidia::sm_35;
using bankmodel::nvidia::sm_90;

// A function for each, so that each has its own compiler limits.
template <const auto& Kernel>
constexpr bool on_both_machines() {
  constexpr auto hopper = optimize(sm_90, Kernel, {.layouts = bankmodel::layouts::padding});
  constexpr auto on_kepler = optimize(sm_35, Kernel, {.layouts = bankmodel::layouts::padding});
  return hopper.is_optimal() && on_kepler.is_optimal() &&
         hopper.after().wavefronts <= hopper.before().wavefronts &&
         on_kepler.after().wavefronts <= on_kepler.before().wavefronts;
}

static_assert(on_both_machines<kernels::fd3d::stencil_3D_16x16_order8>());
static_assert(on_both_machines<kernels::nw::needle_cuda_shared_1>());
static_assert(on_both_machines<kernels::transpose::copySharedMem>());
static_assert(on_both_machines<kernels::transpose::transposeCoalesced>());
static_assert(on_both_machines<kernels::transpose::transposeNoBankConflicts>());
static_assert(on_both_machines<kernels::transpose::transposeDiagonal>());
static_assert(on_both_machines<kernels::transpose::transposeFineGrained>());
static_assert(on_both_machines<kernels::transpose::transposeCoarseGrained>());
static_assert(on_both_machines<kernels::lud::lud_diagonal>());
static_assert(on_both_machines<kernels::lud::lud_perimeter>());
static_assert(on_both_machines<kernels::convolution_separable::convolutionRowsKernel>());
static_assert(on_both_machines<kernels::convolution_separable::convolutionColumnsKernel>());
static_assert(on_both_machines<kernels::shfl_scan::shfl_vertical_shfl>());
