// SPDX-License-Identifier: MIT
// expect: a_thread_must_have_at_most_the_registers_of_the_machine
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/model/occupancy.hpp>

#ifdef BROKEN
constexpr int registers = 256;
#else
constexpr int registers = 255;
#endif
static_assert(bankmodel::resident(bankmodel::nvidia::sm_90,
                                  {.threads = 256, .registers_per_thread = registers})
                  .blocks == 1);
