// SPDX-License-Identifier: MIT
// Compares a plan as a constant with the same plan at run time, in every field.
#ifndef BANKMODEL_TESTS_SAME_PLAN_HPP
#define BANKMODEL_TESTS_SAME_PLAN_HPP

#include "catch.hpp"

template <class Plan>
void check_same_plan(const Plan& constant, const Plan& computed) {
  CHECK(computed.is_complete());
  CHECK(constant.bank_width() == computed.bank_width());
  CHECK(constant.bytes() == computed.bytes());
  CHECK(constant.resident_blocks() == computed.resident_blocks());
  CHECK(constant.least_wavefronts() == computed.least_wavefronts());
  REQUIRE(constant.arrays() == computed.arrays());
  for (int index = 0; index < computed.arrays(); ++index) {
    CHECK(constant.layout(index) == computed.layout(index));
    CHECK(constant.offset_bytes(index) == computed.offset_bytes(index));
    CHECK(constant.array(index).row_length == computed.array(index).row_length);
  }
  for (int index = 0; index < computed.accesses(); ++index) {
    CHECK(constant.before(index) == computed.before(index));
    CHECK(constant.after(index) == computed.after(index));
    CHECK(constant.after(index).method == computed.after(index).method);
  }
}

#endif
