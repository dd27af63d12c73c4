// SPDX-License-Identifier: MIT
// Loops that are counted by executing their test, if it is the same in all threads.
#include <algorithm>

#include "symbolic_run.hpp"

namespace compiled {

namespace {

using bm::operation;

constexpr long long most_values = 1 << 16;  // of a loop that is counted by its values

}  // namespace

bool symbolic_run::count_by_values(counted_loop& to, const condition_pointer& stays) {
  for (long long number = 0; number < most_values; ++number) {
    const std::optional<bool> holds = at_trip(stays, to.trip, number);
    if (!holds) return false;
    if (*holds) continue;
    to.trips = number;
    return true;
  }
  return false;
}

std::optional<long long> symbolic_run::at_trip(const form& of, int trip, long long number) {
  long long result = of.constant;
  for (const auto& [which, factor] : of.factors) {
    const atom& one = forms()[which];
    std::optional<long long> value;
    if (which == trip) value = number;
    if (one.is == atom::kind::operation) {
      const auto left = at_trip(one.left, trip, number), right = at_trip(one.right, trip, number);
      if (left && right) value = evaluated(one.does, *left, *right);
    }
    if (!value) return {};
    result = checked_sum(result, checked_product(*value, factor));
  }
  return result;
}

std::optional<bool> symbolic_run::at_trip(const condition_pointer& of, int trip, long long number) {
  if (of->is == condition::kind::constant) return of->holds;
  if (of->is == condition::kind::comparison) {
    const auto left = at_trip(of->left, trip, number), right = at_trip(of->right, trip, number);
    if (!left || !right) return {};
    condition now = *of;
    now.left = constant_form(*left);
    now.right = constant_form(*right);
    return compared(forms(), now)->holds;
  }
  const auto first = at_trip(of->parts[0], trip, number),
             second = at_trip(of->parts[1], trip, number);
  if (!first || !second) return {};
  return of->is == condition::kind::both ? *first && *second : *first || *second;
}

}  // namespace compiled
