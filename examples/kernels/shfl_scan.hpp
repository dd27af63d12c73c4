// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_KERNELS_SHFL_SCAN_HPP
#define BANKMODEL_EXAMPLES_KERNELS_SHFL_SCAN_HPP

#include <bankmodel/analyze.hpp>

// Shfl_scan: column sums of an integral image by shuffles. shfl_vertical_shfl
//
// Source   CUDA samples, 6_Advanced/shfl_scan/shfl_integral_image.cuh, as in
//          ndd314/cuda_examples at 3ac60d03 (5.5); accesses are the same today.
// Block    32 x 8
// Shared   unsigned sums[32][9], whose last column is padding
// Notes    Table 8.1 says 32 x 8; every public version is padded. Figure 7.8 has the last load
//          under the condition; in the source it comes after it.
namespace kernels::shfl_scan {

namespace bm = bankmodel;
using namespace bm::index;

// a constant of the source: the height of its image by that of a block
inline constexpr int steps = 1080 / 8;

inline constexpr auto sums = bm::shared_array<unsigned>("sums", 32, 9);

inline constexpr auto shfl_vertical_shfl = bm::kernel(
    bm::block_dim{32, 8}, bm::store(sums[tx][ty]),
    bm::for_loop(i, bm::range(0, steps), bm::store(sums[tx][ty]),
                 bm::load(sums[tx / 8 + 4 * ty][tx % 8]), bm::store(sums[tx / 8 + 4 * ty][tx % 8]),
                 bm::load(bm::if_threads(ty > 0, sums[tx][ty - 1])), bm::load(sums[tx][7])));

}  // namespace kernels::shfl_scan

#endif
