// SPDX-License-Identifier: MIT
// expect: index_must_nest_at_most_32_deep
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

// tx + (tx + (tx + ...)): each level keeps one value more while the rest is computed.
template <int Levels>
constexpr auto nested() {
  if constexpr (Levels == 1)
    return tx;
  else
    return tx + nested<Levels - 1>();
}
#ifdef BROKEN
constexpr int levels = 33;
#else
constexpr int levels = 32;
#endif
constexpr auto a = bm::shared_array<float>("a", 2048);
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32}, a[nested<levels>()]).requests == 1);
