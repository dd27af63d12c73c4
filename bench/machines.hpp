// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_BENCH_MACHINES_HPP
#define BANKMODEL_BENCH_MACHINES_HPP

#include <bankmodel/machines/nvidia.hpp>

// The two kinds of banks that most sections compare: conventional, and of two rows.
namespace bench {

struct named_machine {
  const char* name;
  bankmodel::machine machine;
};
inline constexpr named_machine two_machines[] = {{"sm_90", bankmodel::nvidia::sm_90},
                                                 {"sm_35", bankmodel::nvidia::sm_35}};

}  // namespace bench

#endif
