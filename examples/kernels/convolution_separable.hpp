// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_KERNELS_CONVOLUTION_SEPARABLE_HPP
#define BANKMODEL_EXAMPLES_KERNELS_CONVOLUTION_SEPARABLE_HPP

#include <bankmodel/analyze.hpp>

// CS: separable convolution with a radius of 8. convolutionRowsKernel and convolutionColumnsKernel
//
// Source   CUDA samples, 3_Imaging/convolutionSeparable/convolutionSeparable.cu, as in
//          ndd314/cuda_examples at 3ac60d03 (5.5); constants and accesses are the same today.
// Block    16 x 4 (rows), 16 x 8 (columns)
// Shared   float s_Data[4][160]; float s_Data[16][81], whose last column is padding
// Note     The edge of the image selects the value that is stored, not whether. Unrolled,
//          windows of neighbouring results overlap: a compiler issues 129 (rows) and 73
//          (columns) of the source's 136 loads a thread.
namespace kernels::convolution_separable {

namespace bm = bankmodel;
using namespace bm::index;

inline constexpr int radius = 8, results = 8;
inline constexpr auto result = bm::range(1, 1 + results), halo_before = bm::range(0, 1),
                      halo_behind = bm::range(1 + results, 2 + results);
inline constexpr auto window = bm::range(-radius, radius + 1);

namespace by_rows {
inline constexpr auto s_Data = bm::shared_array<float>("s_Data", 4, 160);
}
inline constexpr auto convolutionRowsKernel =
    bm::kernel(bm::block_dim{16, 4},
               bm::store(bm::for_loop(i, result, by_rows::s_Data[ty][tx + 16 * i]),
                         bm::for_loop(i, halo_before, by_rows::s_Data[ty][tx + 16 * i]),
                         bm::for_loop(i, halo_behind, by_rows::s_Data[ty][tx + 16 * i])),
               bm::load(bm::for_loop(
                   i, result, bm::for_loop(j, window, by_rows::s_Data[ty][tx + 16 * i + j]))));

namespace by_columns {
inline constexpr auto s_Data = bm::shared_array<float>("s_Data", 16, 81);
}
inline constexpr auto convolutionColumnsKernel =
    bm::kernel(bm::block_dim{16, 8},
               bm::store(bm::for_loop(i, result, by_columns::s_Data[tx][ty + 8 * i]),
                         bm::for_loop(i, halo_before, by_columns::s_Data[tx][ty + 8 * i]),
                         bm::for_loop(i, halo_behind, by_columns::s_Data[tx][ty + 8 * i])),
               bm::load(bm::for_loop(
                   i, result, bm::for_loop(j, window, by_columns::s_Data[tx][ty + 8 * i + j]))));

}  // namespace kernels::convolution_separable

#endif
