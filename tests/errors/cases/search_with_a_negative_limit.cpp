// SPDX-License-Identifier: MIT
// expect: a_search_must_have_limits_that_are_not_negative
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>

namespace bm = bankmodel;
using namespace bm::index;
constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
#ifdef BROKEN
constexpr int pitch = -16;
#else
constexpr int pitch = 16;
#endif
constexpr auto plan =
    bm::optimize(bm::nvidia::sm_90, bm::kernel(bm::block_dim{32, 8}, bm::load(tile[tx][ty])),
                 bm::search{.row_stride_bytes = pitch});
static_assert(plan.layout(tile).padding() % 4 == 0);
