// SPDX-License-Identifier: MIT
// expect: division_must_be_of_values_that_are_not_negative
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

#ifdef BROKEN
constexpr int shift = 0;
#else
constexpr int shift = 32;
#endif
constexpr auto a = bm::shared_array<float>("a", 32);
static_assert(
    bm::total(bm::nvidia::sm_90, bm::block_dim{32}, a[(tx - 1 + shift) % 32]).conflicts() == 0);
