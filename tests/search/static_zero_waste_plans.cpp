// SPDX-License-Identifier: MIT
// Plans without a conflict in the array's own bytes as constants, within the default limits of
// the compiler.
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>

#include "examples/kernels.hpp"

namespace bm = bankmodel;
using namespace bm::index;
using bm::layout_family;
using bm::optimize;
using bm::nvidia::sm_35;
using bm::nvidia::sm_90;

namespace {

// A block of W x H threads writes a tile of W x W by rows and reads it by columns.
template <class T, int W>
constexpr auto tile = bm::shared_array<T>("tile", W, W);
template <class T, int W, int H>
constexpr auto transpose = bm::kernel(
    bm::block_dim{W, H}, bm::store(bm::for_loop(j, bm::range(0, W, H), tile<T, W>[ty + j][tx])),
    bm::load(bm::for_loop(j, bm::range(0, W, H), tile<T, W>[tx][ty + j])));

// A function for each, so that each has its own compiler limits.
template <const auto& Machine, const auto& Kernel, long long Bytes>
constexpr layout_family family() {
  constexpr auto plan = optimize(Machine, Kernel, {.shared_bytes = Bytes});
  static_assert(plan.after().conflicts() == 0 && plan.is_optimal() && plan.bytes() == Bytes);
  return plan.layout(0).permutation.family;
}

static_assert(family<sm_90, transpose<float, 32, 8>, 4096>() == layout_family::xor_swizzle);
static_assert(family<sm_90, transpose<float, 16, 16>, 1024>() == layout_family::xor_swizzle);
static_assert(family<sm_90, transpose<double, 32, 8>, 8192>() == layout_family::xor_swizzle);
static_assert(family<sm_90, transpose<float, 64, 8>, 16384>() == layout_family::xor_swizzle);
static_assert(family<sm_35, transpose<float, 32, 8>, 4096>() == layout_family::xor_swizzle);
static_assert(family<sm_90, kernels::nw::needle_cuda_shared_1, 2180>() == layout_family::rotation);
static_assert(family<sm_90, kernels::lud::lud_diagonal, 1024>() == layout_family::xor_swizzle);
static_assert(family<sm_90, kernels::lud::lud_perimeter, 3072>() == layout_family::rows);
static_assert(family<sm_90, kernels::convolution_separable::convolutionRowsKernel, 2560>() ==
              layout_family::xor_swizzle);

}  // namespace
