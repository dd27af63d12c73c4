// SPDX-License-Identifier: MIT
// Compares a plan as a constant with the same plan at run time, in every field.
#ifndef BANKMODEL_TESTS_SAME_PLAN_HPP
#define BANKMODEL_TESTS_SAME_PLAN_HPP

#include "catch.hpp"

template <class Plan>
void check_same_plan(const Plan& constant, const Plan& now) {
  CHECK(now.is_complete());
  CHECK(constant.bank_width() == now.bank_width());
  CHECK(constant.bytes() == now.bytes());
  CHECK(constant.resident_blocks() == now.resident_blocks());
  CHECK(constant.least_wavefronts() == now.least_wavefronts());
  REQUIRE(constant.arrays() == now.arrays());
  for (int at = 0; at < now.arrays(); ++at) {
    CHECK(constant.layout(at) == now.layout(at));
    CHECK(constant.offset_bytes(at) == now.offset_bytes(at));
    CHECK(constant.array(at).row_length == now.array(at).row_length);
  }
  for (int at = 0; at < now.accesses(); ++at) {
    CHECK(constant.before(at) == now.before(at));
    CHECK(constant.after(at) == now.after(at));
    CHECK(constant.after(at).method == now.after(at).method);
  }
}

#endif
