// SPDX-License-Identifier: MIT
// expect: lanes_of_a_machine_must_be_1_to_32_or_64
#include <bankmodel/analyze.hpp>

namespace bm = bankmodel;

constexpr bm::machine mine() {
  bm::machine m;
#ifdef BROKEN
  m.lanes = 33;
#else
  m.lanes = 64;
#endif
  m.loads.up_to_4 = {.bank_num = 32, .W = 4, .N = 4};
  return m;
}
static_assert(bm::total(mine(), bm::request{.active = 1, .bytes = 4}).wavefronts == 1);
