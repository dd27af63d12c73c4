// SPDX-License-Identifier: MIT
// expect: loop_variables_must_stand_inside_their_for_loop
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
#ifdef BROKEN
constexpr auto read = bm::for_loop(i, bm::range(0, 32), tile[j][tx]);
#else
constexpr auto read = bm::for_loop(j, bm::range(0, 32), tile[j][tx]);
#endif
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32}, read).requests == 32);
