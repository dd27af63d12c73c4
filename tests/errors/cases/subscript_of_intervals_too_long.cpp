// SPDX-License-Identifier: MIT
// expect: subscripts_of_this_layout_must_be_shorter
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;
constexpr auto plain = bm::shared_array<float>("a", 65536);
constexpr auto a = plain.with(plain.layout.padded_every(32, 1));
template <int Terms>
constexpr auto sum() {
  if constexpr (Terms == 0)
    return 0 * tx;
  else
    return sum<Terms - 1>() + tx;
}
#ifdef BROKEN
constexpr int terms = 400;
#else
constexpr int terms = 100;
#endif
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32}, a[sum<terms>()]).wavefronts > 0);
