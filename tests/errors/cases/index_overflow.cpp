// SPDX-License-Identifier: MIT
// expect: index_arithmetic_must_fit_in_64_bits
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

#ifdef BROKEN
constexpr long long factor = 1ll << 60;
#else
constexpr long long factor = 1ll << 57;
#endif
constexpr auto a = bm::shared_array<float>("a", 32);
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32}, a[tx * factor % 32]).requests == 1);
