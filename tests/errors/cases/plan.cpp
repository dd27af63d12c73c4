// SPDX-License-Identifier: MIT
// expect: a_plan_must_have_the_array_that_it_is_asked_for
// compilers: g++ clang++ nvcc
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>

namespace bm = bankmodel;
using namespace bm::index;
constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
constexpr auto plan =
    bm::optimize(bm::nvidia::sm_90, bm::kernel(bm::block_dim{32, 8}, bm::load(tile[tx][ty])));
#ifdef BROKEN
constexpr const char* name = "title";
#else
constexpr const char* name = "tile";
#endif
static_assert(plan.offset_bytes(name) == 0);
