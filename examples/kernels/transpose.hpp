// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_KERNELS_TRANSPOSE_HPP
#define BANKMODEL_EXAMPLES_KERNELS_TRANSPOSE_HPP

#include <bankmodel/analyze.hpp>

// TP: the matrix transpose sample, the six of its eight kernels that use shared memory.
//
// Source   CUDA samples 5.0, 6_Advanced/transpose/transpose.cu, as in larygwil/cuda-samples-old
//          at ba80e2bb. Later versions have neither the repetitions nor these sizes (32 x 32
//          tiles, blocks of 32 x 16).
// Block    16 x 16
// Shared   float tile[16][16] (copySharedMem, transposeCoalesced), tile[16][17]
//          (transposeNoBankConflicts, transposeDiagonal), block[16][17] (transposeFineGrained,
//          transposeCoarseGrained)
// Notes    Table 8.1's TP-GSM is taken to be copySharedMem, the one unpadded kernel whose loop
//          variable is in no subscript. Section 7.4 has Diagonal and FineGrained conflict when
//          they read columns; in every public version their rows are padded, which leaves 2-way
//          conflicts on 32 banks, in columns and rows alike.
namespace kernels::transpose {

namespace bm = bankmodel;
using namespace bm::index;

// How often a launch transposes: a run-time argument (nreps), which multiplies every number.
inline constexpr int repetitions = 1;

inline constexpr int tile_dim = 16, block_rows = 16;
inline constexpr auto each_time = bm::range(0, repetitions);
inline constexpr auto rows = bm::range(0, tile_dim, block_rows);  // one iteration, as in the source

inline constexpr auto tile = bm::shared_array<float>("tile", tile_dim, tile_dim);
inline constexpr auto padded_tile = bm::shared_array<float>("tile", tile_dim, tile_dim + 1);
inline constexpr auto padded_block = bm::shared_array<float>("block", tile_dim, tile_dim + 1);

inline constexpr auto copySharedMem =
    bm::kernel(bm::block_dim{tile_dim, block_rows},
               bm::for_loop(j, each_time, bm::store(bm::for_loop(i, rows, tile[ty][tx])),
                            bm::load(bm::for_loop(i, rows, tile[ty][tx]))));

// Written by rows and read by columns.
constexpr auto by_rows_and_columns(const bm::array_description& array) {
  return bm::kernel(bm::block_dim{tile_dim, block_rows},
                    bm::for_loop(j, each_time, bm::store(bm::for_loop(i, rows, array[ty + i][tx])),
                                 bm::load(bm::for_loop(i, rows, array[tx][ty + i]))));
}

inline constexpr auto transposeCoalesced = by_rows_and_columns(tile);
inline constexpr auto transposeNoBankConflicts = by_rows_and_columns(padded_tile);
// differs in its global accesses only
inline constexpr auto transposeDiagonal = by_rows_and_columns(padded_tile);
inline constexpr auto transposeFineGrained = by_rows_and_columns(padded_block);

inline constexpr auto transposeCoarseGrained = bm::kernel(
    bm::block_dim{tile_dim, block_rows},
    bm::for_loop(j, each_time, bm::store(bm::for_loop(i, rows, padded_block[ty + i][tx])),
                 bm::load(bm::for_loop(i, rows, padded_block[ty + i][tx]))));

}  // namespace kernels::transpose

#endif
