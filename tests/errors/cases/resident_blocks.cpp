// SPDX-License-Identifier: MIT
// expect: so_many_blocks_must_be_able_to_be_resident
// compilers: g++ clang++ nvcc
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/model/occupancy.hpp>

#ifdef BROKEN
constexpr int blocks = 9;
#else
constexpr int blocks = 8;
#endif
static_assert(bankmodel::largest_shared_bytes(bankmodel::nvidia::sm_90, 256, blocks) > 0);
