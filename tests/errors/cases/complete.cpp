// SPDX-License-Identifier: MIT
// expect: bankmodel: the effort of a constant expression was spent before everything was tried
// expect: search fewer families (.layouts)
// expect: -fconstexpr-steps
// expect: -fconstexpr-ops-limit and -fconstexpr-loop-limit
// expect: -Xcudafe --max_cost_constexpr_call and
// expect: code() of report.hpp, bankmodel --plan-header
// compilers: g++ clang++ nvcc
// The guard of a plan as a constant whose search ended early.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>

namespace bm = bankmodel;
using namespace bm::index;
constexpr auto tile = bm::shared_array<float>("tile", 17, 31);
constexpr auto kernel = bm::kernel(bm::block_dim{31, 17}, bm::load(tile[tid % 17][tid / 17]));
#ifdef BROKEN
constexpr long long effort = 20;
#else
constexpr long long effort = 0;
#endif
constexpr auto plan = bm::optimize(bm::nvidia::sm_90, kernel, {.effort = effort});
static_assert(bm::expect_complete<plan.is_complete()>::value);
