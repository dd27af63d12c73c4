// SPDX-License-Identifier: MIT
// expect: step_must_not_be_zero
// for (j = 0; j < 64; j += threadIdx.x): the first thread never ends.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

constexpr auto a = bm::shared_array<float>("a", 64);
#ifdef BROKEN
constexpr auto strided = bm::for_loop(j, bm::range(0, 64, tx), a[j]);
#else
constexpr auto strided = bm::for_loop(j, bm::range(0, 64, tx + 1), a[j]);
#endif
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32}, strided).requests == 64);
