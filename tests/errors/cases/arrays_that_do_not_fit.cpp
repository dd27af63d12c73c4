// SPDX-License-Identifier: MIT
// expect: the_arrays_of_a_kernel_must_fit
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>

namespace bm = bankmodel;
using namespace bm::index;
constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
#ifdef BROKEN
constexpr int bytes = 4095;
#else
constexpr int bytes = 4096;
#endif
constexpr auto plan =
    bm::optimize(bm::nvidia::sm_90, bm::kernel(bm::block_dim{32, 8}, bm::load(tile[tx][ty])),
                 bm::search{.layouts = bm::layouts::padding, .shared_bytes = bytes});
static_assert(plan.bytes() == 4096);
