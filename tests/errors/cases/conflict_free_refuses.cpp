// SPDX-License-Identifier: MIT
// expect: too_few_subscripts
// A wrong argument inside conflict_free is an error, and no "not free".
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
#ifdef BROKEN
constexpr auto row = tile[ty];
#else
constexpr auto row = tile[ty][tx];
#endif
static_assert(!bm::conflict_free<bm::nvidia::sm_90, bm::block_dim{32, 8}, row> || true);
