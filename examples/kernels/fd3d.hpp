// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_KERNELS_FD3D_HPP
#define BANKMODEL_EXAMPLES_KERNELS_FD3D_HPP

#include <bankmodel/analyze.hpp>

// 3DFD: a stencil of radius 4 over a volume, plane by plane. stencil_3D_16x16_order8
//
// Source   NVIDIA's finite difference code (P. Micikevicius, 2009), as in gtcasl/gpuocelot at
//          8ef2b6fd, cuda2.3/tests/3DFD/3dfd.cu.
// Block    16 x 16
// Shared   float s_data[24][24]: the block's tile with a halo of 4 on each side; the corners
//          are never touched
// Note     The CUDA samples' FDTD3d is the same stencil with another shape (24 x 40 in a 32 x
//          16 block); the dissertation's 24 x 24 is this one.
namespace kernels::fd3d {

namespace bm = bankmodel;
using namespace bm::index;

// Planes of the volume that are computed: a run-time argument (dimz - 8; here the source's
// default of 40), which multiplies every number.
inline constexpr int planes = 32;

inline constexpr auto s_data = bm::shared_array<float>("s_data", 24, 24);

inline constexpr auto stencil_3D_16x16_order8 = bm::kernel(
    bm::block_dim{16, 16},
    bm::for_loop(i, bm::range(4, 4 + planes),
                 bm::store(bm::if_threads(ty < 4, s_data[ty][tx + 4], s_data[ty + 20][tx + 4]),
                           bm::if_threads(tx < 4, s_data[ty + 4][tx], s_data[ty + 4][tx + 20]),
                           s_data[ty + 4][tx + 4]),
                 bm::load(s_data[ty + 3][tx + 4], s_data[ty + 5][tx + 4], s_data[ty + 4][tx + 3],
                          s_data[ty + 4][tx + 5], s_data[ty + 2][tx + 4], s_data[ty + 6][tx + 4],
                          s_data[ty + 4][tx + 2], s_data[ty + 4][tx + 6], s_data[ty + 1][tx + 4],
                          s_data[ty + 7][tx + 4], s_data[ty + 4][tx + 1], s_data[ty + 4][tx + 7],
                          s_data[ty][tx + 4], s_data[ty + 8][tx + 4], s_data[ty + 4][tx],
                          s_data[ty + 4][tx + 8])));

}  // namespace kernels::fd3d

#endif
