// SPDX-License-Identifier: MIT
// expect: bankmodel: there is no block; write traffic(machine, block_dim{32, 8}, access)
// compilers: g++ clang++ nvcc
// lines: 16
// A question without a block: one message, not a list of candidates.
#include <bankmodel/global.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;
constexpr auto tile = bm::global_array<float>("tile", 32, 32);
constexpr auto access = bm::load(tile[tx][ty]);
#ifdef BROKEN
static_assert(bm::traffic(bm::nvidia::sm_90, access).requests > 0);
#else
static_assert(bm::traffic(bm::nvidia::sm_90, bm::block_dim{32, 8}, access).requests > 0);
#endif
