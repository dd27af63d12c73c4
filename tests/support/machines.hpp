// SPDX-License-Identifier: MIT
// The machines of the tests, for the library, and for the oracle copied again from the hardware
// facts.
#ifndef BANKMODEL_TESTS_MACHINES_HPP
#define BANKMODEL_TESTS_MACHINES_HPP

#include <bankmodel/machines/nvidia.hpp>

#include "oracle.hpp"

namespace oracle {
inline void add_to(counts& sum, const counts& addition, unsigned long long times = 1) {
  sum = {sum.requests + times * addition.requests, sum.wavefronts + times * addition.wavefronts,
         sum.ideal + times * addition.ideal, std::max(sum.degree, addition.degree)};
}
}  // namespace oracle

struct tested_machine {
  bankmodel::machine machine;
  int lanes;
  oracle::banks banks;
  bool pairs;  // loads merge their phases in pairs
};

// Phases by width: contiguous groups of this many lanes.
inline int group_of(const tested_machine& m, int bytes) {
  const bool kepler = m.banks.W == 8;
  return bytes == 16 ? m.lanes / (kepler ? 2 : 4) : bytes == 8 && !kepler ? m.lanes / 2 : m.lanes;
}

inline const tested_machine tested_machines[] = {
    {bankmodel::nvidia::sm_90, 32, {32, 4, 4}, true},
    {bankmodel::nvidia::sm_35, 32, {32, 8, 4}, false},
    {bankmodel::nvidia::sm_35.with_bank_width(8), 32, {32, 8, 8}, false},
    {bankmodel::nvidia::compute_capability(7, 5), 32, {32, 4, 4}, true},
};
constexpr int tested_machine_count = 4;

inline oracle::counts counted(const tested_machine& m, const std::map<int, long long>& address,
                              int bytes, bool load) {
  std::vector<int> phase_of;
  for (int lane = 0; lane < m.lanes; ++lane) phase_of.push_back(lane / group_of(m, bytes));
  return oracle::request(m.banks, phase_of, m.pairs && load && group_of(m, bytes) < m.lanes,
                         address, bytes);
}

#endif
