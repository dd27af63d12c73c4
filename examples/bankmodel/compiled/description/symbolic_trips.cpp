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

bool symbolic_run::count_by_values(counted_loop& counted, const condition_pointer& stays) {
  counted.trips = trips_by_values(stays, counted.trip, {});
  return counted.trips.has_value();
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
long long symbolic_run::most_by_values(const counted_loop& counted,
                                       const condition_pointer& stays) {
  std::vector<std::pair<int, long long>> loops;  // with how many numbers each
  long long combinations = 1;
  bool is_known = true;
  (void)has(forms(), stays, [&](int number) {
    const atom& symbol = forms()[number];
    if (symbol.is == atom::kind::operation || number == counted.trip) return false;
    const value_range range = forms().range_of(atom_form(number));
    is_known = is_known && symbol.is == atom::kind::trip && range.lowest == 0 &&
               range.highest < most_values;
    const auto is_same = [&](const auto& other) { return other.first == number; };
    if (!is_known || std::ranges::any_of(loops, is_same)) return !is_known;
    loops.emplace_back(number, range.highest + 1);
    combinations = std::min(most_values, combinations * (range.highest + 1));
    return false;
  });
  if (!is_known || combinations >= most_values) return unbounded;
  long long result = 0;
  for (long long combination = 0; combination < combinations; ++combination) {
    trip_numbers numbers;
    long long rest = combination;
    for (const auto& [number, count] : loops) {
      numbers[number] = rest % count;
      rest /= count;
    }
    const auto trips = trips_by_values(stays, counted.trip, numbers);
    if (!trips) return unbounded;
    result = std::max(result, *trips);
  }
  return result;
}

std::optional<long long> symbolic_run::at_trips(const form& expression,
                                                const trip_numbers& numbers) {
  long long result = expression.constant;
  for (const auto& [number, factor] : expression.factors) {
    const atom& symbol = forms()[number];
    std::optional<long long> value;
    if (const auto match = numbers.find(number); match != numbers.end()) value = match->second;
    if (symbol.is == atom::kind::operation) {
      const auto left = at_trips(symbol.left, numbers), right = at_trips(symbol.right, numbers);
      if (left && right) value = evaluated(symbol.operation, *left, *right);
    }
    if (!value) return {};
    result = checked_sum(result, checked_product(*value, factor));
  }
  return result;
}

std::optional<bool> symbolic_run::at_trips(const condition_pointer& test,
                                           const trip_numbers& numbers) {
  if (test->is == condition::kind::constant) return test->holds;
  if (test->is == condition::kind::comparison) {
    const auto left = at_trips(test->left, numbers), right = at_trips(test->right, numbers);
    if (!left || !right) return {};
    condition result = *test;
    result.left = constant_form(*left);
    result.right = constant_form(*right);
    return compared(forms(), result)->holds;
  }
  const auto first = at_trips(test->parts[0], numbers), second = at_trips(test->parts[1], numbers);
  if (!first || !second) return {};
  return test->is == condition::kind::conjunction ? *first && *second : *first || *second;
}

}  // namespace compiled
