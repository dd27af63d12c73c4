// SPDX-License-Identifier: MIT
// expect: the_machine_must_have_such_instructions
// expect: cp_async_copies_4_8_or_16_bytes
// expect: matrix_rows_must_be_of_16_bytes
// expect: ds_read2_reads_4_or_8_bytes_twice
// expect: ds_read_tr_reads_8_bytes
// compilers: g++ clang++ nvcc
#include <bankmodel/analyze.hpp>
#include <bankmodel/kernel/instructions.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using bm::index::lane;
constexpr auto a = bm::shared_array<short>("a", 32, 8);
constexpr auto b = bm::shared_array<float>("b", 256);

#ifdef BROKEN
constexpr auto& gpu = bm::nvidia::sm_80;
constexpr int copied = 12, wide = 2, very_wide = 4;
#else
constexpr auto& gpu = bm::nvidia::sm_90;
constexpr int copied = 16, wide = 1, very_wide = 2;
#endif
static_assert(bm::total(gpu, bm::block_dim{32}, bm::stmatrix<4>(a[lane][0 * lane])).wavefronts ==
              4);
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{16}, bm::cp_async<copied>(b[4 * lane]))
                  .requests == 1);
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32},
                        bm::ldmatrix<4>(bm::vectorized<wide>(a[lane][0 * lane])))
                  .requests == 1);
static_assert(bm::total(bm::amd::gfx942, bm::block_dim{8},
                        bm::ds_read2(bm::vectorized<very_wide>(b[4 * lane]), b[lane]))
                  .requests == 2);
static_assert(bm::total(bm::amd::gfx950, bm::block_dim{8},
                        bm::ds_read_tr(bm::vectorized<wide>(a[lane][0 * lane])))
                  .requests == 1);
