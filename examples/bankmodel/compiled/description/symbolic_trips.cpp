// SPDX-License-Identifier: MIT
// Loops that are counted by executing their test, if it is the same in all threads.
#include <algorithm>
#include <utility>
#include <vector>

#include "symbolic_run.hpp"

namespace compiled {

namespace {

using bm::operation;

constexpr long long most_values = 1 << 16;  // of a loop that is counted by its values

}  // namespace

bool symbolic_run::count_by_values(counted_loop& to, const condition_pointer& stays) {
  to.trips = trips_by_values(stays, to.trip, {});
  return to.trips.has_value();
}

std::optional<long long> symbolic_run::trips_by_values(const condition_pointer& stays, int trip,
                                                       trip_numbers of_others) {
  for (long long number = 0; number < most_values; ++number) {
    of_others[trip] = number;
    const std::optional<bool> holds = at_trips(stays, of_others);
    if (!holds) return {};
    if (!*holds) return number;
  }
  return {};
}

// The most trips in any iteration of the loops around whose trips the test reads.
long long symbolic_run::most_by_values(const counted_loop& of, const condition_pointer& stays) {
  std::vector<std::pair<int, long long>> others;  // with how many numbers each
  long long all = 1;
  bool is_known = true;
  (void)has(forms(), stays, [&](int number) {
    const atom& one = forms()[number];
    if (one.is == atom::kind::operation || number == of.trip) return false;
    const value_range range = forms().range_of(atom_form(number));
    is_known =
        is_known && one.is == atom::kind::trip && range.least == 0 && range.most < most_values;
    const auto is_same = [&](const auto& other) { return other.first == number; };
    if (!is_known || std::any_of(others.begin(), others.end(), is_same)) return !is_known;
    others.emplace_back(number, range.most + 1);
    all = std::min(most_values, all * (range.most + 1));
    return false;
  });
  if (!is_known || all >= most_values) return unbounded;
  long long result = 0;
  for (long long each = 0; each < all; ++each) {
    trip_numbers numbers;
    long long rest = each;
    for (const auto& [number, count] : others) {
      numbers[number] = rest % count;
      rest /= count;
    }
    const auto trips = trips_by_values(stays, of.trip, numbers);
    if (!trips) return unbounded;
    result = std::max(result, *trips);
  }
  return result;
}

std::optional<long long> symbolic_run::at_trips(const form& of, const trip_numbers& numbers) {
  long long result = of.constant;
  for (const auto& [which, factor] : of.factors) {
    const atom& one = forms()[which];
    std::optional<long long> value;
    if (const auto found = numbers.find(which); found != numbers.end()) value = found->second;
    if (one.is == atom::kind::operation) {
      const auto left = at_trips(one.left, numbers), right = at_trips(one.right, numbers);
      if (left && right) value = evaluated(one.does, *left, *right);
    }
    if (!value) return {};
    result = checked_sum(result, checked_product(*value, factor));
  }
  return result;
}

std::optional<bool> symbolic_run::at_trips(const condition_pointer& of,
                                           const trip_numbers& numbers) {
  if (of->is == condition::kind::constant) return of->holds;
  if (of->is == condition::kind::comparison) {
    const auto left = at_trips(of->left, numbers), right = at_trips(of->right, numbers);
    if (!left || !right) return {};
    condition now = *of;
    now.left = constant_form(*left);
    now.right = constant_form(*right);
    return compared(forms(), now)->holds;
  }
  const auto first = at_trips(of->parts[0], numbers), second = at_trips(of->parts[1], numbers);
  if (!first || !second) return {};
  return of->is == condition::kind::both ? *first && *second : *first || *second;
}

}  // namespace compiled
