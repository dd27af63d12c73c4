// SPDX-License-Identifier: MIT
// expect: bankmodel: there is no machine; write total(nvidia::sm_90, block_dim{32, 8}, access)
// compilers: g++ clang++ nvcc
// lines: 16
// A question without a machine: one message, not a list of candidates.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;
constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
constexpr auto access = bm::load(tile[tx][ty]);
#ifdef BROKEN
static_assert(bm::total(bm::block_dim{32, 8}, access).requests > 0);
#else
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32, 8}, access).requests > 0);
#endif
