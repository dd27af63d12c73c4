// SPDX-License-Identifier: MIT
// expect: shared_bytes_must_be_what_a_block_can_have
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>

namespace bm = bankmodel;
using namespace bm::index;
constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
#ifdef BROKEN
constexpr int bytes = 232449;
#else
constexpr int bytes = 232448;
#endif
constexpr auto plan =
    bm::optimize(bm::nvidia::sm_90, bm::kernel(bm::block_dim{32, 8}, bm::load(tile[tx][ty])),
                 bm::search{.shared_bytes = bytes});
static_assert(plan.bytes() == 4224);
