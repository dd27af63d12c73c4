// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_KERNELS_NW_HPP
#define BANKMODEL_EXAMPLES_KERNELS_NW_HPP

#include <bankmodel/analyze.hpp>

// NW: Needleman-Wunsch, the score matrix tile by tile along anti-diagonals. needle_cuda_shared_1
//
// Source   Rodinia 3.1, cuda/nw/needle_kernel.cu and needle.cu, as in JuliaParallel/rodinia at
//          0f47cfc2 and jchen706/gpu-rodinia at 91048ce3.
// Block    16 x 1: half a warp
// Shared   int temp[17][17]; int ref[16][16]
// Note     needle_cuda_shared_2 makes the same accesses, with the first two lines exchanged.
//          Table 8.1 gives no offsets; both arrays count as aligned to a layer here.
namespace kernels::nw {

namespace bm = bankmodel;
using namespace bm::index;

inline constexpr auto temp = bm::shared_array<int>("temp", 17, 17);
inline constexpr auto ref = bm::shared_array<int>("ref", 16, 16);

inline constexpr auto first_sweep = bm::for_loop(
    m, bm::range(0, 16),
    bm::if_threads(
        tx <= m,
        bm::load(temp[m - tx][tx], ref[m - tx][tx], temp[m - tx + 1][tx], temp[m - tx][tx + 1]),
        bm::store(temp[m - tx + 1][tx + 1])));

inline constexpr auto second_sweep =
    bm::for_loop(m, bm::range(14, -1, -1),
                 bm::if_threads(tx <= m,
                                bm::load(temp[15 - tx][tx + 15 - m], ref[15 - tx][tx + 15 - m],
                                         temp[16 - tx][tx + 15 - m], temp[15 - tx][tx + 16 - m]),
                                bm::store(temp[16 - tx][tx + 16 - m])));

inline constexpr auto needle_cuda_shared_1 = bm::kernel(
    bm::block_dim{16},
    bm::store(bm::if_threads(tx == 0, temp[tx][0]), bm::for_loop(k, bm::range(0, 16), ref[k][tx]),
              temp[tx + 1][0], temp[0][tx + 1]),
    first_sweep, second_sweep, bm::load(bm::for_loop(k, bm::range(0, 16), temp[k + 1][tx + 1])));

}  // namespace kernels::nw

#endif
