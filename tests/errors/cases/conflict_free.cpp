// SPDX-License-Identifier: MIT
// expect-g++: constraints not satisfied
// expect-clang++: constraints not satisfied
// expect: conflict_free
// expect: too_few_subscripts
// conflict_free of an access and of a kernel; as a constraint it keeps a template from being used;
// and a wrong argument inside it is an error, and no "not free".
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
constexpr auto row = tile[ty];
#else
constexpr auto tile = bm::shared_array<float>("tile", 32, 33);
constexpr auto row = tile[ty][tx];
#endif
static_assert(only_without_conflicts<bm::load(tile[tx][ty])>() == 1);
static_assert(!bm::conflict_free<bm::nvidia::sm_90, bm::block_dim{32, 8}, row> || true);
static_assert(
    bm::conflict_free<bm::nvidia::sm_90, bm::kernel(bm::block_dim{32, 8}, bm::store(tile[ty][tx]),
                                                    bm::load(tile[tx][ty]))>);
