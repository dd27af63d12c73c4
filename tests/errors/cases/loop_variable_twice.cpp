// SPDX-License-Identifier: MIT
// expect: nested_loops_must_have_different_variables
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

constexpr auto a = bm::shared_array<float>("a", 64);
#ifdef BROKEN
constexpr auto read = bm::for_loop(i, bm::range(0, 8), bm::for_loop(i, bm::range(0, 4), a[tx + i]));
#else
constexpr auto read = bm::for_loop(i, bm::range(0, 8), bm::for_loop(j, bm::range(0, 4), a[tx + i]));
#endif
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32}, read).requests == 32);
