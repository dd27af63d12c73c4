// SPDX-License-Identifier: MIT
// The compiler, with the options of this project, stores what a passed object points to.
// g++ 12.4, 13.3 and 14.2 with -O1 alone do not (CMakeLists.txt).
#include <algorithm>
#include <initializer_list>

#include "catch.hpp"

namespace {

struct interval {
  long long least, most;
};

long long smallest(std::initializer_list<long long> values) {
  long long result = *values.begin();
  for (const long long value : values) result = value < result ? value : result;
  return result;
}

[[gnu::noinline]] long long passed_on_twice(std::initializer_list<long long> values) {
  return smallest(values) + smallest(values) - smallest(values);
}

[[gnu::noinline]] long long passed_to_library(std::initializer_list<long long> values) {
  return std::min(values);
}

interval hull(std::initializer_list<long long> values) {
  return {std::min(values), std::max(values)};
}

[[gnu::noinline]] interval scaled(const interval& by, long long factor) {
  return hull({by.least * factor, by.most * factor});
}

[[gnu::noinline]] interval product(const interval& a, const interval& b) {
  return hull({a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most});
}

}  // namespace

TEST_CASE("what a passed object points to is stored", "[compiler]") {
  const volatile long long three = 3, five = 5;
  CHECK(passed_on_twice({five * 3, three * 3}) == 9);
  CHECK(passed_to_library({five * 3, three * 3}) == 9);
  const interval few = scaled({three, five}, -2), many = product({-three, five}, {-five, three});
  CHECK((few.least == -10 && few.most == -6));
  CHECK((many.least == -25 && many.most == 15));
}
