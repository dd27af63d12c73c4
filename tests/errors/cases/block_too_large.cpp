// SPDX-License-Identifier: MIT
// expect: the_block_must_fit_the_machine
// compilers: g++ clang++ nvcc
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

#ifdef BROKEN
constexpr auto block = bm::block_dim{32, 33};
#else
constexpr auto block = bm::block_dim{32, 32};
#endif
constexpr auto a = bm::shared_array<float>("a", 32);
static_assert(bm::total(bm::nvidia::sm_90, block, a[tx]).requests == 32);
