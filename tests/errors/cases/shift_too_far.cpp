// SPDX-License-Identifier: MIT
// expect: shifts_must_be_by_0_to_62
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

#ifdef BROKEN
constexpr int amount = 63;
#else
constexpr int amount = 62;
#endif
constexpr auto a = bm::shared_array<float>("a", 64);
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32}, a[tx >> amount]).requests == 1);
