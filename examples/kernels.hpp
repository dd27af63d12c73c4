// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_KERNELS_HPP
#define BANKMODEL_EXAMPLES_KERNELS_HPP

#include "kernels/convolution_separable.hpp"
#include "kernels/fd3d.hpp"
#include "kernels/lud.hpp"
#include "kernels/nw.hpp"
#include "kernels/shfl_scan.hpp"
#include "kernels/transpose.hpp"

// The 13 kernels of S. Gao's dissertation, "Improving GPU Shared Memory Access Efficiency"
// (2014), chapter 7 and table 8.1: every access to shared memory that their sources make, in
// the order of the source.
namespace kernels {

// Calls visit(name, kernel) for each kernel, in the order of table 8.1: 3DFD, NW, transposes,
// lud, convolutions, shfl_scan.
template <class Visit>
constexpr void for_each_kernel(Visit&& visit) {
  visit("stencil_3D_16x16_order8", fd3d::stencil_3D_16x16_order8);
  visit("needle_cuda_shared_1", nw::needle_cuda_shared_1);
  visit("copySharedMem", transpose::copySharedMem);
  visit("transposeCoalesced", transpose::transposeCoalesced);
  visit("transposeNoBankConflicts", transpose::transposeNoBankConflicts);
  visit("transposeDiagonal", transpose::transposeDiagonal);
  visit("transposeFineGrained", transpose::transposeFineGrained);
  visit("transposeCoarseGrained", transpose::transposeCoarseGrained);
  visit("lud_diagonal", lud::lud_diagonal);
  visit("lud_perimeter", lud::lud_perimeter);
  visit("convolutionRowsKernel", convolution_separable::convolutionRowsKernel);
  visit("convolutionColumnsKernel", convolution_separable::convolutionColumnsKernel);
  visit("shfl_vertical_shfl", shfl_scan::shfl_vertical_shfl);
}

// A kernel without the padding columns of its source: four of the transposes, the column
// convolution and shfl_vertical_shfl have them.
template <int Wrappers, int Nodes>
constexpr void remove_padding(bankmodel::access_expression<Wrappers, Nodes>& access) {
  auto& array = access.array;
  const auto is = [&](const char* name, long long columns) {
    return array.name == bankmodel::name_of(name) && array.layout.rank == 2 &&
           array.layout.extent[1] == columns;
  };
  if (is("tile", 17) || is("block", 17) || is("sums", 9) || is("s_Data", 81))
    array.layout = bankmodel::row_major(array.layout.extent[0], array.layout.extent[1] - 1);
}
constexpr void remove_padding(bankmodel::access_list<>&) {}
template <class First, class... Rest>
constexpr void remove_padding(bankmodel::access_list<First, Rest...>& list) {
  remove_padding(list.first);
  remove_padding(list.rest);
}
template <class Kernel>
constexpr Kernel without_padding(Kernel kernel) {
  remove_padding(kernel.accesses);
  return kernel;
}

}  // namespace kernels

#endif
