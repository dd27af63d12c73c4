// SPDX-License-Identifier: MIT
// expect: kept_arrays_must_be_of_the_kernel
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>

namespace bm = bankmodel;
using namespace bm::index;
constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
#ifdef BROKEN
constexpr auto table = bm::shared_array<float>("table", 256);
constexpr auto kept = bm::arrays(tile, table);
#else
constexpr auto kept = bm::arrays(tile);
#endif
constexpr auto plan =
    bm::optimize(bm::nvidia::sm_90, bm::kernel(bm::block_dim{32, 8}, bm::load(tile[tx][ty])),
                 bm::search{.keep = kept});
static_assert(plan.layout(tile) == tile.layout);
