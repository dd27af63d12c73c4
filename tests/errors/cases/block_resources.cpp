// SPDX-License-Identifier: MIT
// expect: a_block_must_have_threads_and_nothing_negative
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/model/occupancy.hpp>

#ifdef BROKEN
constexpr int threads = 0;
#else
constexpr int threads = 256;
#endif
static_assert(bankmodel::resident(bankmodel::nvidia::sm_90,
                                  {.threads = threads, .shared_bytes = 16384})
                  .blocks == 8);
