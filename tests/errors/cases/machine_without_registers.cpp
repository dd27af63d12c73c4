// SPDX-License-Identifier: MIT
// expect: the_machine_must_state_its_registers
#include <bankmodel/model/occupancy.hpp>

constexpr bankmodel::machine mine{.lanes = 32,
                                  .limits = {.shared_per_multiprocessor = 65536,
                                             .shared_per_block = 32768,
                                             .shared_per_block_opt_in = 32768,
                                             .shared_granularity = 256,
                                             .threads_per_block = 1024,
                                             .threads_per_multiprocessor = 2048,
                                             .warps_per_multiprocessor = 64,
                                             .blocks_per_multiprocessor = 16}};
#ifdef BROKEN
constexpr int registers = 32;
#else
constexpr int registers = 0;
#endif
static_assert(
    bankmodel::resident(mine, {.threads = 128, .registers_per_thread = registers}).blocks == 16);
