// clang-format off
// The plan of a kernel on sm_90, written by bankmodel: do not edit it, write it again.
//   conflicts 992 -> 0, wavefronts 1,056 -> 64, 4,224 bytes, 8 resident blocks, best of the families searched
//     tile[32][33], at byte 0
#ifndef BANKMODEL_PLAN_transpose_plan
#define BANKMODEL_PLAN_transpose_plan

#include <bankmodel/analyze.hpp>
#include <bankmodel/explain/expect_planned.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace transpose_plan {

// The shared memory of a block, and the width of its banks.
inline constexpr long long bytes = 4224, alignment = 16, bank_width = 4;

// tile[32][33], elements of 4 bytes
inline constexpr bankmodel::layout tile_layout =
    bankmodel::row_major(32, 32).padded(1);
inline constexpr long long tile_offset = 0;

// The guard: each access, in its planned layout at its offset, as often as it runs in a block.
namespace guard {

using bankmodel::index::tx, bankmodel::index::ty, bankmodel::index::i;
inline constexpr bankmodel::machine machine = bankmodel::nvidia::sm_90;
inline constexpr bankmodel::block_dim block{32, 8, 1};
inline constexpr bankmodel::array_description tile{
    .name = {}, .layout = tile_layout, .element_bytes = 4, .base_bytes = tile_offset};

static_assert(bankmodel::expect_planned<
    bankmodel::total(
        machine, block,
        bankmodel::for_loop(i, bankmodel::range(0, 32, 8), bankmodel::store(tile[ty + i][tx]))).wavefronts,
    32>::value);

static_assert(bankmodel::expect_planned<
    bankmodel::total(
        machine, block,
        bankmodel::for_loop(i, bankmodel::range(0, 32, 8), bankmodel::load(tile[tx][ty + i]))).wavefronts,
    32>::value);

}  // namespace guard
}  // namespace transpose_plan
#endif
