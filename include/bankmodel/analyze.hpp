// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_ANALYZE_HPP
#define BANKMODEL_ANALYZE_HPP

// Counts shared-memory bank conflicts exactly, at compile time and at run time.
//
// What it is. You describe an access as it is written in your kernel, and get the passes
// through shared memory that it takes on a given GPU, for a whole thread block, loops included:
//
//   #include <bankmodel/analyze.hpp>
//   #include <bankmodel/machines/nvidia.hpp>
//   namespace bm = bankmodel;
//   using namespace bm::index;  // tx ty tz, bx by bz, tid lane warp, and loop variables i to n
//
//   // __shared__ float tile[32][32]
//   constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
//   // for (j = 0; j < 32; j += 8) .. = tile[tx][ty + j]
//   constexpr auto read = bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j]));
//   constexpr bm::cost cost = bm::total(bm::nvidia::sm_90, bm::block_dim{32, 8}, read);
//   static_assert(cost.requests == 32 && cost.wavefronts == 1024 && cost.conflicts() == 992);
//
// ---- one access by hand ----
//
// Take a small GPU: warps of 4 lanes, 4 banks, words of 4 bytes. An element of float tile[4][4]
// is a word, and element [r][c] is stored at byte 16 r + 4 c. Consecutive words are in
// consecutive banks, and a row of words through all banks is a layer:
//
//   bank  = (byte / 4) mod 4 = c                    | bank 0  bank 1  bank 2  bank 3
//   layer = byte / (4 * 4)   = r            --------+-------------------------------
//                                           layer 0 | [0][0]  [0][1]  [0][2]  [0][3]
//                                           layer 1 | [1][0]  [1][1]  [1][2]  [1][3]
//                                           layer 2 | [2][0]  [2][1]  [2][2]  [2][3]
//                                           layer 3 | [3][0]  [3][1]  [3][2]  [3][3]
//
// In one pass each bank can serve one layer. The warp reads a row, tile[0][tx], then a column,
// tile[tx][0], then a column of float tile[4][5], whose rows are padded by one element:
//
//          tile[0][tx]          tile[tx][0]          tile[tx][0], rows of 5
//   lane   byte  bank  layer    byte  bank  layer    byte  bank  layer
//   0         0     0      0       0     0      0       0     0      0
//   1         4     1      0      16     0      1      20     1      1
//   2         8     2      0      32     0      2      40     2      2
//   3        12     3      0      48     0      3      60     3      3
//   degree         1                     4                    1
//
// The degree is the largest number of layers in one bank. The row needs 1 pass. The column
// needs 4 passes, because its 4 elements are in 4 layers of bank 0: a 4-way conflict. The
// padding moves each row to the next bank, and the column needs 1 pass again. As a program:
//
//   constexpr bm::machine small = [] {
//     bm::machine m;
//     m.lanes = 4;
//     m.loads.up_to_4 = m.stores.up_to_4 = {.bank_num = 4, .W = 4, .N = 4};
//     return m;
//   }();
//   constexpr auto tile = bm::shared_array<float>("tile", 4, 4);
//   constexpr auto padded = tile.with(tile.layout.padded(1));
//   static_assert(bm::total(small, bm::block_dim{4}, tile[0 * tx][tx]).wavefronts == 1);
//   static_assert(bm::total(small, bm::block_dim{4}, tile[tx][0 * tx]).wavefronts == 4);
//   static_assert(bm::total(small, bm::block_dim{4}, padded[tx][0 * tx]).wavefronts == 1);
//
// The transpose above is the same with 32 lanes and 32 banks: every column is a 32-way
// conflict. A block of 32 x 8 threads has 8 warps, each reads 4 columns: 32 requests with 32
// passes each, 1024. With float tile[32][33] it is 32 passes.
//
// ---- the terms ----
//
//   lane, warp   a thread, and the group of threads that issues an instruction together (32 lanes
//                on NVIDIA, 32 or 64 on AMD)
//   request      one load or store instruction of one warp, with its active lanes
//   bank, word   shared memory is bank_num banks; consecutive words of N bytes are stored in
//                consecutive banks
//   layer        the W bytes of a bank that one pass can reach. W == N on most GPUs; on Kepler
//                W == 8 and N == 4, so a layer holds two words of a bank
//   phase        the lanes of a request that are served together: on NVIDIA all 32 for 4 bytes per
//                lane, usually 16 for 8 bytes and 8 for 16 bytes
//   degree       the n of an n-way conflict: the most layers that one phase touches in one bank
//   wavefronts   the passes that a request takes: the sum of the degrees of its phases
//   ideal        the fewest passes that any layout could give: one for each phase, after merging
//   conflicts    wavefronts - ideal: the passes that a better layout could save
//
// ---- the operations ----
//
//   total(machine, block, access)     the cost of an access: all warps and iterations of a block
//   total(machine, kernel)            the sum over the accesses of kernel(block, access, ..)
//   total(machine, request)           the cost of one request with any addresses
//   degree(geometry, access_1d)       the degree of one strided warp, in constant time
//   guard<cost, allowed>              fails to compile if the cost has more conflicts than allowed
//                                     (0 if left out), and every compiler prints the numbers
//   conflict_free<machine, block, access>    the same as a concept, without numbers
//
//   constexpr auto wide = bm::shared_array<float>("wide", 32, 33);
//   constexpr bm::block_dim block{32, 8};
//   static_assert(bm::guard<bm::total(bm::nvidia::sm_90, block, wide[tx][ty])>);
//   static_assert(bm::degree(bm::bank_geometry<32, 4, 4, 4>{}, {.stride = 12}) == 4);
//   // Lanes that read the same word, and a column of doubles: 2 phases of 16 lanes.
//   constexpr auto doubles = bm::shared_array<double>("doubles", 32, 32);
//   static_assert(bm::total(bm::nvidia::sm_90, block, wide[0][0 * tx]).wavefronts == 8);
//   static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32}, doubles[tx][0]) ==
//                 bm::cost{1, 32, 2, 16});
//
// Accesses: tile[..][..] with one subscript for each dimension; load(), store(), atomic();
// vectorized<4>(..) for a float4; for_loop(j, range(0, 32, 8), ..) and if_threads(tx < i, ..)
// around one or several. Subscripts may use + - * / % << >> & | ^, min and max; bounds and
// conditions may depend on outer loops and on the thread. Machines are data: records in
// machines/nvidia.hpp and machines/amd.hpp, or one of your own.
//
// The same call gives the same number in a constant expression, on the host and in device code
// (use it there in constant expressions). Every answer equals counting each request; there is
// no approximation. What cannot be counted is an error, named after the rule that is broken,
// such as subscripts_must_lie_within_their_extent: in a constant expression the compiler prints
// that name, at run time bankmodel::error is thrown with the values and what to do.
//
// ---- why this way round? ----
//
// Why describe an access instead of reading the kernel? Only the description is available
// before the kernel runs, in the compiler and in a tuner that tries thousands of variants. The
// notation is the kernel's, so an index function that is a template serves both.
//
// Why passes and not "bank conflicts"? Profilers count passes (wavefronts), and conflicts are
// the difference to the ideal. A float4 load of 32 different addresses takes 4 passes on an
// H100 even without a conflict.
//
// Why is 10^12 iterations as fast as 10^3? The cost of a request depends on its base address
// only modulo a layer of all banks. So iterations fall into few classes, and each class is
// evaluated once: cost.method tells if a loop had to be enumerated (method::each_request).
//
// ---- what it does not cover ----
//
// Time: it counts passes, not cycles. Global memory. Values that the compiler keeps in
// registers: describe the accesses that are actually issued. Layouts that cost less:
// optimize.hpp finds them, explain.hpp says why an access conflicts, report.hpp and draw.hpp
// show it.
#include <bankmodel/core/constant.hpp>
#include <bankmodel/count/guard.hpp>
#include <bankmodel/count/total.hpp>
#include <bankmodel/kernel/access.hpp>
#include <bankmodel/kernel/kernel.hpp>
#include <bankmodel/model/degree.hpp>
#include <bankmodel/model/wavefronts.hpp>

#endif
