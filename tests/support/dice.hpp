// SPDX-License-Identifier: MIT
// Random numbers of generated tests.
#ifndef BANKMODEL_TESTS_DICE_HPP
#define BANKMODEL_TESTS_DICE_HPP

#include <cstdint>
#include <initializer_list>
#include <random>

struct dice {
  std::mt19937_64 from;
  long long number(long long low, long long high) {
    return low + static_cast<long long>(from() % static_cast<std::uint64_t>(high - low + 1));
  }
  long long one_of(std::initializer_list<long long> these) {
    return *(these.begin() + number(0, static_cast<long long>(these.size()) - 1));
  }
};

#endif
