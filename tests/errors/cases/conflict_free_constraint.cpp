// SPDX-License-Identifier: MIT
// expect-g++: constraints not satisfied
// expect-g++: conflict_free
// expect-clang++: constraints not satisfied
// expect-clang++: conflict_free
// conflict_free as a constraint keeps a template from being used.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

template <auto Access>
  requires bm::conflict_free<bm::nvidia::sm_90, bm::block_dim{32, 8}, Access>
constexpr int only_without_conflicts() {
  return 1;
}

#ifdef BROKEN
constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
#else
constexpr auto tile = bm::shared_array<float>("tile", 32, 33);
#endif
static_assert(only_without_conflicts<bm::load(tile[tx][ty])>() == 1);
