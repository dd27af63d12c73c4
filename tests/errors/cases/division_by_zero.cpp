// SPDX-License-Identifier: MIT
// expect: divisor_must_not_be_zero
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

constexpr auto a = bm::shared_array<float>("a", 64);
#ifdef BROKEN
constexpr auto read = a[32 / tx];
#else
constexpr auto read = bm::if_threads(tx != 0 && 32 / tx > 0, a[32 / tx]);
#endif
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32}, read).requests == 1);
