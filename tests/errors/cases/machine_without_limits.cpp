// SPDX-License-Identifier: MIT
// expect: the_machine_must_state_its_limits
#include <bankmodel/model/occupancy.hpp>

constexpr bankmodel::machine mine{.lanes = 32,
                                  .limits = {.shared_per_multiprocessor = 65536,
                                             .shared_per_block = 32768,
                                             .shared_per_block_opt_in = 32768,
                                             .shared_granularity = 256,
                                             .threads_per_block = 1024,
                                             .threads_per_multiprocessor = 2048,
#ifndef BROKEN
                                             .warps_per_multiprocessor = 64,
#endif
                                             .blocks_per_multiprocessor = 16}};
static_assert(bankmodel::resident(mine, {.threads = 128}).blocks == 16);
