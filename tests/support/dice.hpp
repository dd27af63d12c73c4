// SPDX-License-Identifier: MIT
// Random numbers of generated tests.
#ifndef BANKMODEL_TESTS_DICE_HPP
#define BANKMODEL_TESTS_DICE_HPP

#include <cstdint>
#include <initializer_list>
#include <random>

struct dice {
  std::mt19937_64 engine;
  long long number(long long low, long long high) {
    return low + static_cast<long long>(engine() % static_cast<std::uint64_t>(high - low + 1));
  }
  long long one_of(std::initializer_list<long long> values) {
    return *(values.begin() + number(0, static_cast<long long>(values.size()) - 1));
  }
};

#endif
