// SPDX-License-Identifier: MIT
// expect: bankmodel: there is no kernel; write optimize(machine, kernel(block_dim{32, 8}, access))
// compilers: g++ clang++ nvcc
// lines: 16
// A plan for an access alone: one message, not a list of candidates.
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>

namespace bm = bankmodel;
using namespace bm::index;
constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
constexpr auto access = bm::load(tile[tx][ty]);
#ifdef BROKEN
static_assert(bm::optimize(bm::nvidia::sm_90, access).after().conflicts() == 0);
#else
static_assert(
    bm::optimize(bm::nvidia::sm_90, bm::kernel(bm::block_dim{32, 8}, access)).after().conflicts() ==
    0);
#endif
