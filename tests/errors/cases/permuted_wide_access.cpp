// SPDX-License-Identifier: MIT
// expect: permuted_groups_must_hold_whole_wide_accesses
#include <bankmodel/analyze.hpp>
#include <bankmodel/layout/families.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

#ifdef BROKEN
constexpr bm::permutation rotated = bm::rotation(1);
#else
constexpr bm::permutation rotated = bm::rotation(1).in_groups_of(4);
#endif
constexpr auto tile =
    bm::shared_array<float>("tile", 32, 32).with(bm::row_major(32, 32).permuted(rotated));
static_assert(
    bm::total(bm::nvidia::sm_90, {8, 8}, bm::vectorized<4>(tile[ty][4 * tx])).conflicts() == 0);
