// SPDX-License-Identifier: MIT
// expect: counts_must_fit_in_64_bits
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

#ifdef BROKEN
constexpr long long trips = 1ll << 62;
#else
constexpr long long trips = 1;
#endif
constexpr auto a = bm::shared_array<float>("a", 32);
constexpr auto often =
    bm::for_loop(i, bm::range(0, 1ll << 62), bm::for_loop(j, bm::range(0, trips), a[tx]));
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32}, often).requests == 1ull << 62);
