// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_COMMAND_LINE_RECORDED_COST_HPP
#define BANKMODEL_TESTS_COMMAND_LINE_RECORDED_COST_HPP

#include <bankmodel/count/request_classes.hpp>

#include "examples/bankmodel/compiled/engine/run.hpp"

// What recorded requests cost, one by one: the tool merges their bases.
inline bankmodel::cost cost_of(const bankmodel::machine& m,
                               const compiled::recorded_class& recorded) {
  bankmodel::cost sum;
  for (const auto& [base, times] : recorded.times) {
    bankmodel::request_class requests;
    requests.lanes = recorded.lanes;
    requests.base = base;
    requests.times = times;
    sum = sum + bankmodel::total(m, requests);
  }
  return sum;
}

inline bankmodel::cost cost_of(const bankmodel::machine& m,
                               const compiled::recorded_access& access) {
  bankmodel::cost sum;
  for (const compiled::recorded_class& recorded : access.classes) sum = sum + cost_of(m, recorded);
  return sum;
}

#endif
