// SPDX-License-Identifier: MIT
// The demo with --all. It is a file of its own, so that the demo's first screen need not wait for
// its compilation.
#include "all_tables.hpp"

#include <cstdio>

#include "both_memories.hpp"
#include "lecture_transposes.hpp"
#include "on_three_machines.hpp"
#include "one_kernel_on_nine.hpp"
#include "planned.hpp"
#include "presentation.hpp"

void print_all_tables() {
  on_three_machines::print();
  std::printf(
      "\n"
      "For one thread block; stencil_3D_16x16_order8 over %d planes.\n"
      "accesses    loads and stores of shared memory in the source\n"
      "requests    load and store instructions that the block's warps issue for them\n"
      "wavefronts  passes through shared memory that these take; the best layout gives each "
      "request one\n"
      "conflicts   wavefronts beyond that one\n"
      "worst       the n of the worst n-way conflict; below: for each machine the access with the "
      "most conflicts\n",
      kernels::fd3d::planes);
  planned::print();
  std::printf(
      "\n"
      "unpadded    without the padding column that six of the sources have\n"
      "in source   as in the source; Kepler starts with 4-byte banks\n"
      "planned     proven fewest over all layout families and bank widths; rate: planned / "
      "unpadded\n"
      "blocks      resident on one multiprocessor, by threads and shared memory, as in the source "
      "and as planned\n");
  one_kernel_on_nine::print();
  std::printf(
      "\n"
      "            16 rows of 64 halves, written row by row and read by the lanes of a matrix "
      "unit, 16 bytes each, by 64 threads.\n"
      "            Rows padded by 16 bytes suit NVIDIA's quarters of a warp, but not CDNA's phases "
      "of lanes 0-3 with 20-23\n"
      "how sure    these phases are: documented or measured there (high), measured on a related "
      "machine (medium), inferred (low)\n");
  presentation::print();
  std::printf(
      "\n"
      "            the kernels of I. Mungiello's presentation (2018): shared memory per block and "
      "registers per thread as given there,\n"
      "            resident blocks by this library; the permuted DCT has 12 of 16 blocks on the "
      "TX2 because of 37 registers, not memory\n");
  both_memories::print();
  std::printf(
      "\n"
      "            the kernels whose samples state their launch: wavefronts of shared memory and "
      "transactions of global memory, of one\n"
      "            block (the mean of the grid), and the fewest of each. A transaction has 32 to "
      "128 "
      "bytes on sm_13, 32 on the others.\n"
      "            All global accesses are coalesced, so only conflicts in shared memory are left "
      "to avoid\n");
  std::printf("\n\n");
  lecture_transposes::print(bankmodel::nvidia::sm_90);
  std::printf(
      "\n"
      "            8192 x 8192 floats, 256 x 256 blocks of 32 x 32 threads; of a lecture by S. Dey "
      "and of CUDA's samples\n"
      "sectors     millions of 32 bytes that all requests to global memory move; ideal: that hold "
      "the bytes they use\n"
      "slower      the memory that takes more cycles of a multiprocessor, as far as rates are "
      "published\n");
}
