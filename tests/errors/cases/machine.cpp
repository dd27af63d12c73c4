// SPDX-License-Identifier: MIT
// expect: compute_capability_must_be_a_known_one
// expect: so_many_blocks_must_be_able_to_be_resident
// compilers: g++ clang++ nvcc
#include <bankmodel/machines/compare.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/model/occupancy.hpp>

#ifdef BROKEN
constexpr int minor_number = 1, blocks = 9;
#else
constexpr int minor_number = 0, blocks = 8;
#endif
static_assert(bankmodel::nvidia::compute_capability(9, minor_number) == bankmodel::nvidia::sm_90);
static_assert(bankmodel::largest_shared_bytes(bankmodel::nvidia::sm_90, 256, blocks) > 0);
