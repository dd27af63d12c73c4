// SPDX-License-Identifier: MIT
// Instructions that are neither plain loads nor plain stores, on the machines that have them.
#include <bankmodel/analyze.hpp>
#include <bankmodel/kernel/instructions.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <cstdio>

namespace bm = bankmodel;
using bm::index::lane, bm::index::tx;
using bm::nvidia::sm_90;

constexpr bm::block_dim warp{32};
constexpr auto tile = bm::shared_array<short>("tile", 16, 64);

// ldmatrix.x4: the rows of an 8 x 8 matrix are 128 bytes apart, in the same banks; swizzled by
// the copy engine they are not.
constexpr auto swizzled = bm::through_copy_engine(tile, 128);
static_assert(bm::total(sm_90, warp, bm::ldmatrix<4>(tile[lane % 16][lane / 16 * 8])).wavefronts ==
              32);
static_assert(
    bm::total(sm_90, warp, bm::ldmatrix<4>(swizzled[lane % 16][lane / 16 * 8])).wavefronts == 4);

// cp.async is served in the phases of a store, but lanes of one destination do not merge.
constexpr auto line = bm::shared_array<float>("line", 256);
static_assert(bm::total(sm_90, warp, bm::cp_async<16>(line[4 * tx])).conflicts() == 0);

// atomicAdd(&bins[tx / 8], 1): eight lanes at one address take eight passes with any layout.
constexpr auto bins = bm::shared_array<int>("bins", 64);
static_assert(bm::total(sm_90, warp, bm::atomic(bins[tx / 8])).wavefronts == 8);
static_assert(bm::total(sm_90, warp, bm::atomic(bins[tx / 8])).conflicts() == 0);

// AMD: ds_read2_b32 is served as two loads, ds_read_b64_tr_b16 has banks of its own.
static_assert(bm::total(bm::amd::gfx942, bm::block_dim{64}, bm::ds_read2(line[tx], line[tx + 64]))
                  .wavefronts == 4);
static_assert(bm::total(bm::amd::gfx950, bm::block_dim{64},
                        bm::ds_read_tr(tile[lane / 16][lane % 16 * 4]))
                  .conflicts() == 0);

int main() {
  const auto print = [](const char* label, const bm::cost& cost) {
    std::printf("%-28s wavefronts %2d, ideal %2d\n", label, static_cast<int>(cost.wavefronts),
                static_cast<int>(cost.ideal));
  };
  print("ldmatrix, rows of 128 bytes",
        bm::total(sm_90, warp, bm::ldmatrix<4>(tile[lane % 16][lane / 16 * 8])));
  print("ldmatrix, swizzled",
        bm::total(sm_90, warp, bm::ldmatrix<4>(swizzled[lane % 16][lane / 16 * 8])));
  print("atomicAdd, 8 lanes together", bm::total(sm_90, warp, bm::atomic(bins[tx / 8])));
}
