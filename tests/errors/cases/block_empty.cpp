// SPDX-License-Identifier: MIT
// expect: the_block_must_have_threads
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

#ifdef BROKEN
constexpr auto block = bm::block_dim{32, 0};
#else
constexpr auto block = bm::block_dim{32, 1};
#endif
constexpr auto a = bm::shared_array<float>("a", 32);
static_assert(bm::total(bm::nvidia::sm_90, block, a[tx]).requests == 1);
