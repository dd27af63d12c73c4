// SPDX-License-Identifier: MIT
// Catch2's macros for programs that libFuzzer runs: a test file is included for its functions, a
// failed check ends the program, and its test cases are not run.
#pragma once

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

#define FAIL(...) (std::cerr << __VA_ARGS__ << std::endl, std::abort())
#define FAIL_CHECK(...) FAIL(__VA_ARGS__)
#define CHECK(...) ((__VA_ARGS__) ? void() : FAIL("not so: " #__VA_ARGS__))
#define CHECK_FALSE(...) CHECK(!(__VA_ARGS__))
#define REQUIRE(...) CHECK(__VA_ARGS__)
#define REQUIRE_FALSE(...) CHECK_FALSE(__VA_ARGS__)
#define CHECK_THROWS_AS(expression, type)           \
  [&] {                                             \
    try {                                           \
      (void)(expression);                           \
    } catch (const type&) {                         \
      return;                                       \
    }                                               \
    FAIL("not thrown: " #type ", by " #expression); \
  }()
#define CHECK_NOTHROW(...) void(__VA_ARGS__)
#define WARN(...) (std::cerr << __VA_ARGS__ << std::endl)
#define INFO(...) void(std::ostringstream() << __VA_ARGS__)
#define CAPTURE(...) void()

#define BANKMODEL_JOINED_NAMES(a, b) a##b
#define BANKMODEL_JOINED(a, b) BANKMODEL_JOINED_NAMES(a, b)
#define TEST_CASE(...) [[maybe_unused]] static void BANKMODEL_JOINED(test_case_, __LINE__)()

namespace Catch::Detail {
template <class Numbers>
std::string stringify(const Numbers& all) {
  std::string result = "{";
  for (const auto& one : all) result += " " + std::to_string(one);
  return result + " }";
}
}  // namespace Catch::Detail
