// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_KERNELS_LUD_HPP
#define BANKMODEL_EXAMPLES_KERNELS_LUD_HPP

#include <bankmodel/analyze.hpp>

// lud: LU decomposition by tiles. lud_diagonal and lud_perimeter
//
// Source   Rodinia 3.1, cuda/lud/cuda/lud_kernel.cu, as in yuhc/gpu-rodinia at dcea2438. Of the
//          two versions of lud_perimeter in that file this is the live one.
// Block    16 x 1, half a warp (lud_diagonal); 32 x 1, whose two halves do different work
//          (lud_perimeter)
// Shared   float shadow[16][16]; float dia[16][16], peri_row[16][16], peri_col[16][16] one
//          after the other, at bytes 0, 1024 and 2048 as in table 8.1
// Note     `a -= b * c` is written as load a, load b, load c, store a. Compilers keep `a` in a
//          register over the inner loop, so fewer loads of it are issued than the source makes.
namespace kernels::lud {

namespace bm = bankmodel;
using namespace bm::index;

inline constexpr auto shadow = bm::shared_array<float>("shadow", 16, 16);

inline constexpr auto column_below_the_diagonal = bm::if_threads(
    tx > i,
    bm::for_loop(j, bm::range(0, i), bm::load(shadow[tx][i], shadow[tx][j], shadow[j][i]),
                 bm::store(shadow[tx][i])),
    bm::load(shadow[tx][i], shadow[i][i]), bm::store(shadow[tx][i]));

inline constexpr auto next_row = bm::if_threads(
    tx > i, bm::for_loop(j, bm::range(0, i + 1),
                         bm::load(shadow[i + 1][tx], shadow[i + 1][j], shadow[j][tx]),
                         bm::store(shadow[i + 1][tx])));

inline constexpr auto lud_diagonal =
    bm::kernel(bm::block_dim{16}, bm::store(bm::for_loop(i, bm::range(0, 16), shadow[i][tx])),
               bm::for_loop(i, bm::range(0, 15), column_below_the_diagonal, next_row),
               bm::load(bm::for_loop(i, bm::range(1, 16), shadow[i][tx])));

inline constexpr auto dia = bm::shared_array<float>("dia", 16, 16);
inline constexpr auto peri_row = bm::shared_array<float>("peri_row", 16, 16).at(1024);
inline constexpr auto peri_col = bm::shared_array<float>("peri_col", 16, 16).at(2048);

inline constexpr auto fill =
    bm::store(bm::if_threads(tx < 16, bm::for_loop(i, bm::range(0, 8), dia[i][tx]),
                             bm::for_loop(i, bm::range(0, 16), peri_row[i][tx])),
              bm::if_threads(tx >= 16, bm::for_loop(i, bm::range(8, 16), dia[i][tx - 16]),
                             bm::for_loop(i, bm::range(0, 16), peri_col[i][tx - 16])));

inline constexpr auto first_half = bm::if_threads(
    tx < 16, bm::for_loop(i, bm::range(1, 16),
                          bm::for_loop(j, bm::range(0, i),
                                       bm::load(peri_row[i][tx], dia[i][j], peri_row[j][tx]),
                                       bm::store(peri_row[i][tx]))));

inline constexpr auto second_half = bm::if_threads(
    tx >= 16,
    bm::for_loop(i, bm::range(0, 16),
                 bm::for_loop(j, bm::range(0, i),
                              bm::load(peri_col[tx - 16][i], peri_col[tx - 16][j], dia[j][i]),
                              bm::store(peri_col[tx - 16][i])),
                 bm::load(peri_col[tx - 16][i], dia[i][i]), bm::store(peri_col[tx - 16][i])));

inline constexpr auto write_back =
    bm::load(bm::if_threads(tx < 16, bm::for_loop(i, bm::range(1, 16), peri_row[i][tx])),
             bm::if_threads(tx >= 16, bm::for_loop(i, bm::range(0, 16), peri_col[i][tx - 16])));

inline constexpr auto lud_perimeter =
    bm::kernel(bm::block_dim{32}, fill, first_half, second_half, write_back);

}  // namespace kernels::lud

#endif
