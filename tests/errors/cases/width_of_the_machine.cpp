// SPDX-License-Identifier: MIT
// expect: the_machine_must_have_accesses_of_this_width
// NVIDIA has no 12-byte access.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

#ifdef BROKEN
constexpr int elements = 3;
#else
constexpr int elements = 4;
#endif
constexpr auto a = bm::shared_array<float>("a", 128);
static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32},
                        bm::vectorized<elements>(a[elements * tx]))
                  .requests == 1);
