// SPDX-License-Identifier: MIT
// expect-g++: static assertion failed
// expect-clang++: conflict_free
// compilers: g++ clang++
// conflict_free of a machine and a kernel.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

#ifdef BROKEN
constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
#else
constexpr auto tile = bm::shared_array<float>("tile", 32, 33);
#endif
constexpr auto transpose =
    bm::kernel(bm::block_dim{32, 8}, bm::store(tile[ty][tx]), bm::load(tile[tx][ty]));
static_assert(bm::conflict_free<bm::nvidia::sm_90, transpose>);
