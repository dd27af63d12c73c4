// SPDX-License-Identifier: MIT
// expect: a_plan_must_have_the_access_that_it_is_asked_for
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>

namespace bm = bankmodel;
using namespace bm::index;
constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
constexpr auto plan =
    bm::optimize(bm::nvidia::sm_90, bm::kernel(bm::block_dim{32, 8}, bm::load(tile[tx][ty])));
#ifdef BROKEN
constexpr int access = 1;
#else
constexpr int access = 0;
#endif
static_assert(plan.after(access).conflicts() == 0);
