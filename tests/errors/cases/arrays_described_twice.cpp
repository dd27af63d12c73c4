// SPDX-License-Identifier: MIT
// expect: arrays_of_one_name_must_be_one_array
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>

namespace bm = bankmodel;
using namespace bm::index;
constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
#ifdef BROKEN
constexpr auto other = bm::shared_array<float>("tile", 32, 32);
#else
constexpr auto other = tile;
#endif
constexpr auto plan =
    bm::optimize(bm::nvidia::sm_90,
                 bm::kernel(bm::block_dim{32, 8}, bm::load(tile[tx][ty]), bm::load(other[ty][tx])));
static_assert(plan.arrays() == 1);
