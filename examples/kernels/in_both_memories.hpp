// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_KERNELS_IN_BOTH_MEMORIES_HPP
#define BANKMODEL_EXAMPLES_KERNELS_IN_BOTH_MEMORIES_HPP

#include <bankmodel/analyze.hpp>
#include <bankmodel/global.hpp>

#include "convolution_separable.hpp"
#include "transpose.hpp"

// Eight of the 13 kernels with their accesses to global memory too, in the order of the source: the
// transposes and the convolutions, whose samples state sizes and launches.
//
// Source   as in transpose.hpp and convolution_separable.hpp
// Sizes    a matrix of 1024 x 1024, an image of 3072 x 3072
namespace kernels::in_both_memories {

namespace bm = bankmodel;
using namespace bm::index;

// ---- transposes ----

inline constexpr int width = 1024;  // and height
inline constexpr bm::grid_dim tiles{width / 16, width / 16};
inline constexpr auto idata = bm::global_array<float>("idata", bm::unknown_extent),
                      odata = bm::global_array<float>("odata", bm::unknown_extent);
inline constexpr auto straight = 16 * bx + tx + (16 * by + ty) * width;
inline constexpr auto turned = 16 * by + tx + (16 * bx + ty) * width;
// Blocks along a diagonal: blockIdx_x is (bx + by) % gridDim.x, and blockIdx_y is bx.
inline constexpr auto diagonal = (bx + by) % tiles.x;
inline constexpr auto here_diagonally = 16 * diagonal + tx + (16 * bx + ty) * width;
inline constexpr auto turned_diagonally = 16 * bx + tx + (16 * diagonal + ty) * width;

// idata[in + i * width] is stored in the tile, and `read` of it in odata[out + i * width].
template <class In, class Stored, class Read, class Out>
constexpr auto through(const In& source, const Stored& stored, const Read& read,
                       const Out& target) {
  using transpose::rows;
  return bm::kernel(
      bm::block_dim{transpose::tile_dim, transpose::block_rows},
      bm::for_loop(j, transpose::each_time, bm::load(bm::for_loop(i, rows, idata[source])),
                   bm::store(bm::for_loop(i, rows, stored)), bm::load(bm::for_loop(i, rows, read)),
                   bm::store(bm::for_loop(i, rows, odata[target]))));
}
template <class In, class Out>
constexpr auto by_rows_and_columns(const bm::array_description& tile, const In& source,
                                   const Out& target) {
  return through(source + i * width, tile[ty + i][tx], tile[tx][ty + i], target + i * width);
}

inline constexpr auto copySharedMem =
    through(straight, transpose::tile[ty][tx], transpose::tile[ty][tx], straight);
inline constexpr auto transposeCoalesced = by_rows_and_columns(transpose::tile, straight, turned);
inline constexpr auto transposeNoBankConflicts =
    by_rows_and_columns(transpose::padded_tile, straight, turned);
inline constexpr auto transposeDiagonal =
    by_rows_and_columns(transpose::padded_tile, here_diagonally, turned_diagonally);
inline constexpr auto transposeFineGrained =
    by_rows_and_columns(transpose::padded_block, straight, straight);
inline constexpr auto transposeCoarseGrained =
    through(straight + i * width, transpose::padded_block[ty + i][tx],
            transpose::padded_block[ty + i][tx], turned + i * width);

// ---- convolutions ----

inline constexpr int pitch = 3072;  // and the image's height
inline constexpr auto d_Src = bm::global_array<float>("d_Src", bm::unknown_extent),
                      d_Dst = bm::global_array<float>("d_Dst", bm::unknown_extent);

// An element of shared memory is stored for each result and each step of the halo before and after
// them; the halo's pixels are loaded if they are in the image: `left_guard` and `right_guard`.
template <class Pixel, class Stored, class Window, class Before, class After>
constexpr auto convolution(const bm::block_dim& block, const Pixel& pixel, const Stored& stored,
                           const Window& read, const Before& left_guard, const After& right_guard) {
  using namespace convolution_separable;
  return bm::kernel(
      block, bm::for_loop(i, result, bm::load(d_Src[pixel]), bm::store(stored)),
      bm::for_loop(i, halo_before, bm::if_threads(left_guard, bm::load(d_Src[pixel])),
                   bm::store(stored)),
      bm::for_loop(i, halo_behind, bm::if_threads(right_guard, bm::load(d_Src[pixel])),
                   bm::store(stored)),
      bm::for_loop(i, result, bm::for_loop(j, window, bm::load(read)), bm::store(d_Dst[pixel])));
}

inline constexpr auto base_x = (8 * bx - 1) * 16 + tx;
inline constexpr auto base_y = (8 * by - 1) * 8 + ty;
inline constexpr bm::grid_dim row_blocks{pitch / 128, pitch / 4},
    column_blocks{pitch / 16, pitch / 64};

inline constexpr auto convolutionRowsKernel =
    convolution(bm::block_dim{16, 4}, (4 * by + ty) * pitch + base_x + 16 * i,
                convolution_separable::by_rows::s_Data[ty][tx + 16 * i],
                convolution_separable::by_rows::s_Data[ty][tx + 16 * i + j], base_x >= -i * 16,
                pitch - base_x > i * 16);
inline constexpr auto convolutionColumnsKernel =
    convolution(bm::block_dim{16, 8}, (base_y + 8 * i) * pitch + 16 * bx + tx,
                convolution_separable::by_columns::s_Data[tx][ty + 8 * i],
                convolution_separable::by_columns::s_Data[tx][ty + 8 * i + j], base_y >= -i * 8,
                pitch - base_y > i * 8);

}  // namespace kernels::in_both_memories

namespace kernels {

// Calls visit(name, kernel, grid) for each of them, in the order of for_each_kernel().
template <class Visit>
constexpr void for_each_kernel_in_both_memories(Visit&& visit) {
  using namespace in_both_memories;
  visit("copySharedMem", copySharedMem, tiles);
  visit("transposeCoalesced", transposeCoalesced, tiles);
  visit("transposeNoBankConflicts", transposeNoBankConflicts, tiles);
  visit("transposeDiagonal", transposeDiagonal, tiles);
  visit("transposeFineGrained", transposeFineGrained, tiles);
  visit("transposeCoarseGrained", transposeCoarseGrained, tiles);
  visit("convolutionRowsKernel", convolutionRowsKernel, row_blocks);
  visit("convolutionColumnsKernel", convolutionColumnsKernel, column_blocks);
}

}  // namespace kernels

#endif
